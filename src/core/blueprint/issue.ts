export interface Issue {
  readonly code: IssueCode;
  readonly severity: Severity;
  /** Plain words: what is wrong, and what would be right. */
  readonly message: string;
  /** JSON pointer into the document; empty for the document itself. */
  readonly path: string;
  readonly range: Range;
  readonly fix?: Fix;
}

type Severity = "error" | "warning";

/** Lines and columns count from 1, columns in UTF-16 units; `end` is the position after the last character. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A change of the text that removes the issue. Edits do not overlap and are in order. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** Offsets count UTF-16 units from the start of the text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const error = (summary: string) => ({ severity: "error", summary }) as const;
const warning = (summary: string) => ({ severity: "warning", summary }) as const;

/** The register of all issues of a manifest. Codes are stable: tools and ignore lists rely on them. */
export const ISSUE_CODES = {
  yaml_syntax: error("The text is not valid YAML or JSON."),
  document_too_large: error("The manifest is larger than 256 KiB."),
  document_too_deep: error("Objects and lists are nested too deeply."),
  document_too_complex: error("The manifest has too many values, anchors or aliases to be read."),
  empty_document: error("The manifest is empty."),
  several_documents: error("The file holds more than one YAML document."),
  unknown_anchor: error("An alias names an anchor that does not exist."),
  bad_merge: error("A merge key does not name an object."),
  key_not_text: error("A key is not a plain text."),
  duplicate_key: error("The same key is given twice."),
  unknown_key: error("A key that does not exist here."),
  missing_key: error("A required key is missing."),
  empty_value: error("A key without a value."),
  wrong_type: error("A value of the wrong type."),
  unknown_value: error("A value that is not one of the allowed ones."),
  unknown_spec: error("A manifest version that is not known."),
  bad_id: error("An ID or argument name with characters that are not allowed."),
  text_too_long: error("A text that is longer than its field may be."),
  bad_alias: error("An alias with characters that are not allowed."),
  alias_taken: error("An alias that is already the name of something else."),
  unknown_group: error("A command in a group that is not declared."),
  unknown_command: error("populate_values_command names no command."),
  conflicting_keys: error("Two keys that exclude each other."),
  enum_value_type: error("An enum value that cannot be read as the declared type."),
  default_type: error("A default that cannot be read as the declared type."),
  min_above_max: error("The minimum is greater than the maximum."),
  bad_duration: error("A duration that cannot be read."),
  bad_json_schema: error("A json_schema that is no JSON schema."),
  bad_control: error("A control that does not fit what the blueprint declares."),
  bad_cancel: error("cancel names no command that can be executed without further arguments."),
  missing_file: error("A file that the manifest names is not in the package."),
  file_outside: error("A path that leads out of the package."),
  too_many_issues: warning("More issues than are listed."),
  enum_value_converted: warning("An enum value that is written as another type."),
  default_converted: warning("A default that is written as another type."),
  default_out_of_range: warning("A default outside min and max."),
  default_not_in_enum: warning("A default that the enum does not allow."),
  bounds_without_order: warning("min or max on a type that has no order."),
  json_schema_unused: warning("A json_schema on a type other than json."),
  unknown_unit: warning("A unit that is neither UCUM, an energy unit nor declared in units."),
  ambiguous_unit: warning("C means Coulomb and F means Farad."),
  incompatible_scale: warning("auto_scale names a unit of another quantity."),
  unknown_telemetry: warning("An alert names a telemetry attribute that is not declared."),
  unknown_format: warning("A format that is not known."),
  unknown_profile: warning("A profile that is not in the library."),
  draft_profile: warning("A draft of a profile in implements instead of implements_draft."),
  profile_field_missing: warning("A field of an implemented profile is missing."),
  profile_field_differs: warning("A field differs from the profile that it implements."),
  missing_script: warning("A lua runtime without a script."),
  bad_extension: warning("An option under .busbar that is not known."),
  status_style: warning("The status attribute should be a string with an enum."),
} as const;

export type IssueCode = keyof typeof ISSUE_CODES;
