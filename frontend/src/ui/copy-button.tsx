import { useRef, useState } from 'react'
import { Button } from './button'

interface Props {
  text: string
  label: string
  done: string
}

const sayDoneMs = 2000

/** Copies text as it is and says so. */
export function CopyButton({ text, label, done }: Props) {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const copy = async () => {
    setCopied(await copyText(text))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      setCopied(false)
    }, sayDoneMs)
  }
  return (
    <Button look="quiet" small onClick={() => void copy()}>
      <span aria-live="polite">{copied ? done : label}</span>
    </Button>
  )
}

/** Some web views offer no clipboard to pages: then the old way, through a selection. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text)
  }
}

function copySelection(text: string): boolean {
  const area = document.createElement('textarea')
  const focused = document.activeElement
  const home = document.querySelector('dialog[open]') ?? document.body
  area.value = text
  area.setAttribute('readonly', '')
  area.className = 'visually-hidden'
  home.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}
