// What can be written at a place of a manifest, and what a word of it means, by the same description of the language that
// the checks use. Pure. The words of the language are English, and so are its explanations.
import { MANIFEST } from "#core/blueprint/schema.ts";
import type { Field, Shape } from "#core/blueprint/shape.ts";
import { STRING_FORMATS } from "#core/blueprint/vocabulary.ts";
import type { ProfileSummary } from "#web/blueprints/manifest-tools.ts";
import { keysBelow, type Place, placeAt } from "./place-in-yaml.ts";

type Hint = {
  readonly label: string;
  /** In one or two words: "required", "one of 7". */
  readonly detail: string;
  readonly info: string;
  /** What is put in place of what was typed. */
  readonly apply: string;
};

export type Hints = { readonly from: number; readonly hints: readonly Hint[] };
export type Explanation = {
  readonly from: number;
  readonly to: number;
  readonly title: string;
  readonly detail: string;
  readonly text: string;
};

/** Units that devices of a site usually have. Any other unit of UCUM may be written, too. */
const UNITS = [
  ..."W kW MW VA kVA var kvar Wh kWh MWh Ah V kV mV A mA Hz Ohm".split(" "),
  ..."% Cel K bar mbar kPa Pa m3/h L/min L/h kg/h m3 L kg g".split(" "),
  ..."s min h d m mm m/s deg W/m2 uS/cm [ppm]".split(" "),
];

export function hintsAt(text: string, offset: number, profiles: readonly ProfileSummary[]): Hints | undefined {
  const place = placeAt(text, offset);
  if (place === undefined) return undefined;
  const field = fieldAt(place.path);
  if (field === undefined) return undefined;
  const hints = place.kind === "key" ? keyHints(field.shape, place) : valueHints(field, place, text, profiles);
  return hints.length === 0 ? undefined : { from: place.from, hints };
}

/** What the word at a place means: a key, a value that the language knows, or a profile. */
export function explain(text: string, offset: number, profiles: readonly ProfileSummary[]): Explanation | undefined {
  const from = offset - (/[\w./%-]*$/.exec(text.slice(Math.max(offset - 80, 0), offset))?.[0].length ?? 0);
  const to = offset + (/^[\w./%-]*/.exec(text.slice(offset, offset + 80))?.[0].length ?? 0);
  const word = text.slice(from, to);
  const place = word === "" ? undefined : placeAt(text, to);
  if (place === undefined) return undefined;
  if (place.kind === "key") {
    const field = fieldAt([...place.path, word]);
    return field && { from, to, title: word, detail: describe(field), text: field.description };
  }
  const profile = profiles.find(({ id }) => id === word);
  if (profile !== undefined && place.path.includes("implements"))
    return { from, to, title: profile.displayName, detail: "profile", text: profile.description };
  const field = fieldAt(place.path);
  const name = place.path.at(-1) ?? "";
  return field && { from, to, title: name, detail: describe(field), text: field.description };
}

/** What the language says about a place. */
export function fieldAt(path: readonly string[]): Field | undefined {
  let field: Field = { shape: MANIFEST, required: true, description: "The manifest." };
  for (const step of path) {
    const { shape } = field;
    if (step.startsWith(".")) return undefined;
    if (shape.kind === "object") {
      const inner = shape.byName.get(step);
      if (inner === undefined) return undefined;
      field = inner;
    } else if (shape.kind === "map") field = { shape: shape.value, required: false, description: upper(shape.keys) };
    else if (shape.kind === "enum") field = { shape: shape.item, required: false, description: "A value of the enum." };
    else return undefined;
  }
  return field;
}

function keyHints(shape: Shape, { siblings, indent }: Place): readonly Hint[] {
  if (shape.kind !== "object") return [];
  const missing = [...shape.byName].filter(([name]) => !siblings.has(name));
  return missing
    .toSorted(([, one], [, other]) => Number(other.required) - Number(one.required))
    .map(([name, field]) => ({
      label: name,
      detail: describe(field),
      info: field.description,
      apply: `${name}:${afterKey(field.shape, indent)}`,
    }));
}

/** Objects begin on a line of their own. */
function afterKey(shape: Shape, indent: number | undefined): string {
  const isObject = shape.kind === "object" || shape.kind === "map" || shape.kind === "enum";
  if (!isObject) return " ";
  return indent === undefined ? " {" : `\n${" ".repeat(indent + 2)}`;
}

function valueHints(
  { shape, description }: Field,
  { path }: Place,
  text: string,
  profiles: readonly ProfileSummary[],
): readonly Hint[] {
  const plain = (values: readonly string[], detail = "", info = description): readonly Hint[] =>
    values.map((value) => ({ label: value, detail, info, apply: quoted(value) }));
  const item = shape.kind === "list" ? shape.item : shape;
  if (item.kind === "flag") return plain(["true", "false"]).map((hint) => ({ ...hint, apply: hint.label }));
  if (item.kind === "text" && item.oneOf !== undefined) return plain(item.oneOf);
  const name: string = path.at(-1) ?? "";
  switch (name) {
    case "implements":
    case "implements_draft":
      if (path.length > 1) return [];
      return profiles.map(({ id, displayName, description: about }) => ({
        label: id,
        detail: displayName,
        info: about,
        apply: id,
      }));
    case "unit":
    case "auto_scale":
      return plain([...keysBelow(text, "units"), ...UNITS]);
    case "group":
      return plain(keysBelow(text, "command_groups"), "command group");
    case "populate_values_command":
      return plain(keysBelow(text, "commands"), "command");
    case "telemetry":
      return path.length === 3 ? plain(keysBelow(text, "telemetry"), "telemetry attribute") : [];
    case "format":
      return plain(STRING_FORMATS);
    default:
      return [];
  }
}

/** Words that YAML reads as something else, and signs that mean something to it. */
function quoted(value: string): string {
  return /^[A-Za-z][\w./ -]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

function describe({ shape, required }: Field): string {
  return required ? `${kindOf(shape)}, required` : kindOf(shape);
}

function kindOf(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return shape.oneOf === undefined
        ? "text"
        : shape.oneOf.length > 8
          ? `one of ${shape.oneOf.length}`
          : shape.oneOf.join(" | ");
    case "flag":
      return "true | false";
    case "number":
      return "number";
    case "scalar":
      return "value";
    case "list":
      return "list";
    case "enum":
      return "values";
    case "map":
      return `by ${shape.keys}`;
    case "object":
      return "object";
  }
}

function upper(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
