; The installer for Windows, for one user: no administrator is asked. It is built on Linux and
; was not run on Windows.
Target amd64-unicode
SetCompressor zlib
SetDateSave off
Name "Sekisho ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Sekisho"
Icon "${FILES}/sekisho.ico"
UninstallIcon "${FILES}/sekisho.ico"
LicenseData "${FILES}/licence.txt"
ShowInstDetails show
ShowUninstDetails show

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Sekisho"
!define VIEW "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"

Page license
Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; A program that runs cannot be written over, but it can be renamed: what a client starts keeps its path.
!macro Program NAME
  Delete "$INSTDIR\${NAME}.old"
  Rename "$INSTDIR\${NAME}" "$INSTDIR\${NAME}.old"
  File "${FILES}/${NAME}"
  Delete "$INSTDIR\${NAME}.old"
!macroend

Section
  SetOutPath "$INSTDIR"
  !insertmacro Program sekisho-hook.exe
  !insertmacro Program sekisho.exe
  !insertmacro Program sekishod.exe
  !insertmacro Program sekisho-desktop.exe
  File "${FILES}/licence.txt"
  File "${FILES}/third-party.txt"
  File "${FILES}/sbom.cdx.json"
  File "${FILES}/sekisho.ico"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Sekisho.lnk" "$INSTDIR\sekisho-desktop.exe" "" "$INSTDIR\sekisho.ico"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Sekisho"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "Publisher" "The Sekisho authors"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\sekisho.ico"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  ReadRegStr $0 HKLM "Software\WOW6432Node\${VIEW}" "pv"
  ReadRegStr $1 HKCU "Software\${VIEW}" "pv"
  StrCmp "$0$1" "" 0 +2
    DetailPrint "The window needs the WebView2 runtime of Microsoft, which is not on this computer."
SectionEnd

Section Uninstall
  DetailPrint "Clients that you connected still start programs of Sekisho: sekisho disconnect, run before, puts them back."
  Delete "$SMPROGRAMS\Sekisho.lnk"
  Delete "$INSTDIR\sekisho-hook.exe"
  Delete "$INSTDIR\sekisho.exe"
  Delete "$INSTDIR\sekishod.exe"
  Delete "$INSTDIR\sekisho-desktop.exe"
  Delete "$INSTDIR\*.exe.old"
  Delete "$INSTDIR\licence.txt"
  Delete "$INSTDIR\third-party.txt"
  Delete "$INSTDIR\sbom.cdx.json"
  Delete "$INSTDIR\sekisho.ico"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${KEY}"
SectionEnd
