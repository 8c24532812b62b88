package permission

// FieldCode says what is wrong with one field of a request.
type FieldCode string

// What can be wrong with a field.
const (
	FieldVersion           FieldCode = "version_not_known"
	FieldRequired          FieldCode = "required"
	FieldKeyForm           FieldCode = "key_form"
	FieldNonceForm         FieldCode = "nonce_form"
	FieldUnreadable        FieldCode = "unreadable"
	FieldReadOnly          FieldCode = "read_only"
	FieldScopeOnce         FieldCode = "scope_once"
	FieldInputDeclined     FieldCode = "input_declined"
	FieldInputNull         FieldCode = "input_null"
	FieldWrongType         FieldCode = "wrong_type"
	FieldTooMany           FieldCode = "too_many"
	FieldTooLong           FieldCode = "too_long"
	FieldEmpty             FieldCode = "empty"
	FieldRulesOrChange     FieldCode = "rules_or_change"
	FieldDuplicate         FieldCode = "duplicate"
	FieldSchemaUnsatisfied FieldCode = "schema_unsatisfied"
	FieldSchemaBad         FieldCode = "schema_bad"
	FieldConditionBad      FieldCode = "condition_bad"
	FieldJournalDamaged    FieldCode = "journal_damaged"
	FieldSignInTransport   FieldCode = "sign_in_transport"
	FieldValueMissing      FieldCode = "value_missing"
	FieldSignInFailed      FieldCode = "sign_in_failed"
	FieldMaskedUnknown     FieldCode = "masked_unknown"
	FieldNotOneOf          FieldCode = "not_one_of"
	FieldOutOfRange        FieldCode = "out_of_range"
	FieldSignInServer      FieldCode = "sign_in_other_server"
	FieldTokenOwn          FieldCode = "token_own"
	FieldIDForm            FieldCode = "id_form"
	FieldIDUnderscores     FieldCode = "id_underscores"
	FieldIDReserved        FieldCode = "id_reserved"
	FieldTransport         FieldCode = "transport"
	FieldCommandMissing    FieldCode = "command_missing"
	FieldCommandURL        FieldCode = "command_url"
	FieldCommandHeaders    FieldCode = "command_headers"
	FieldNUL               FieldCode = "nul"
	FieldEnvironmentName   FieldCode = "environment_name"
	FieldHTTPCommand       FieldCode = "http_command"
	FieldURLForm           FieldCode = "url_form"
	FieldURLSecret         FieldCode = "url_secret"
	FieldHeaderName        FieldCode = "header_name"
	FieldHeaderReserved    FieldCode = "header_reserved"
	FieldHeaderValue       FieldCode = "header_value"
	FieldEffectDisagrees   FieldCode = "effect_disagrees"
	FieldLimitEffect       FieldCode = "limit_effect"
	FieldNotUTF8           FieldCode = "not_utf8"
	FieldClientPatience    FieldCode = "client_patience"
	FieldNeverExpires      FieldCode = "never_expires"
	FieldNameForm          FieldCode = "name_form"
	FieldInputOnce         FieldCode = "input_once"
	FieldInputMember       FieldCode = "input_member"
	FieldInputDenied       FieldCode = "input_denied"
	FieldInputFixed        FieldCode = "input_fixed"
	FieldExampleUnmet      FieldCode = "example_unmet"
	FieldUnchangeable      FieldCode = "unchangeable"
	FieldPutAndDeleted     FieldCode = "put_and_deleted"
	FieldFormat            FieldCode = "format_not_known"
	FieldNotAccepted       FieldCode = "not_accepted"
	FieldRuleNotAllowing   FieldCode = "rule_not_allowing"
	FieldUnknown           FieldCode = "unknown_field"
	FieldMalformed         FieldCode = "malformed"
	FieldDuplicateKey      FieldCode = "duplicate_key"
	FieldTooManyMembers    FieldCode = "too_many_members"
	FieldExists            FieldCode = "already_exists"
	FieldNotFound          FieldCode = "not_found"
	FieldTimeForm          FieldCode = "time_form"
	FieldTooShort          FieldCode = "too_short"
	FieldPattern           FieldCode = "pattern"
	FieldSessionToken      FieldCode = "session_token"
	FieldWorkspaceCommand  FieldCode = "workspace_command"
	FieldWorkspaceOnly     FieldCode = "workspace_only"
	FieldFolderForm        FieldCode = "folder_form"
	FieldFolderMissing     FieldCode = "folder_missing"
	FieldFolderLink        FieldCode = "folder_link"
	FieldFolderWide        FieldCode = "folder_too_wide"
	FieldFolderDesk        FieldCode = "folder_of_desk"
	FieldProgramFolder     FieldCode = "program_folder"
	FieldOther             FieldCode = "not_taken"
)

// FieldCodes lists all of that.
var FieldCodes = [...]FieldCode{
	FieldVersion, FieldRequired, FieldKeyForm, FieldNonceForm, FieldUnreadable, FieldReadOnly, FieldScopeOnce,
	FieldInputDeclined, FieldInputNull, FieldWrongType, FieldTooMany, FieldTooLong, FieldEmpty,
	FieldRulesOrChange, FieldDuplicate, FieldSchemaUnsatisfied, FieldSchemaBad, FieldConditionBad,
	FieldJournalDamaged, FieldSignInTransport, FieldValueMissing, FieldSignInFailed, FieldMaskedUnknown,
	FieldNotOneOf, FieldOutOfRange, FieldSignInServer, FieldTokenOwn, FieldIDForm, FieldIDUnderscores,
	FieldIDReserved, FieldTransport, FieldCommandMissing, FieldCommandURL, FieldCommandHeaders, FieldNUL,
	FieldEnvironmentName, FieldHTTPCommand, FieldURLForm, FieldURLSecret, FieldHeaderName, FieldHeaderReserved,
	FieldHeaderValue, FieldEffectDisagrees, FieldLimitEffect, FieldNotUTF8, FieldClientPatience, FieldNeverExpires,
	FieldNameForm, FieldInputOnce, FieldInputMember, FieldInputDenied, FieldInputFixed, FieldExampleUnmet, FieldUnchangeable,
	FieldPutAndDeleted, FieldFormat, FieldNotAccepted, FieldRuleNotAllowing, FieldUnknown, FieldMalformed,
	FieldDuplicateKey, FieldTooManyMembers, FieldExists, FieldNotFound, FieldTimeForm, FieldTooShort,
	FieldPattern, FieldSessionToken, FieldWorkspaceCommand, FieldWorkspaceOnly, FieldFolderForm, FieldFolderMissing, FieldFolderLink,
	FieldFolderWide, FieldFolderDesk, FieldProgramFolder, FieldOther,
}
