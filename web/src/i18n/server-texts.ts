// What the service says in English, in German: found again by its form. Pure.

/** Nothing that the service says is as long. */
const LONGEST = 1_000;

function formOf(english: string): RegExp {
  const form = english.replaceAll(/[.*+?^$()[\]\\|]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>.+?)");
  return new RegExp(`^${form}$`, "s");
}

/** Texts may have places in braces, which both languages have. What is not in the table stays as it is. */
export function serverTexts(german: Readonly<Record<string, string>>): (text: string) => string {
  const known = new Map(Object.entries(german));
  /** The more a form says itself, the earlier it is tried. */
  const forms = [...known]
    .filter(([english]) => english.includes("{"))
    .map(([english, said]) => ({ form: formOf(english), said, own: english.replaceAll(/\{\w+\}/g, "").length }))
    .toSorted((one, other) => other.own - one.own);
  return (text) => {
    const whole = known.get(text);
    if (whole !== undefined || text.length > LONGEST) return whole ?? text;
    for (const { form, said } of forms) {
      const found = form.exec(text)?.groups;
      if (found !== undefined) return said.replaceAll(/\{(\w+)\}/g, (_, name: string) => found[name] ?? "");
    }
    return text;
  };
}
