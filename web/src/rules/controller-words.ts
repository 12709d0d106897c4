// Ready controllers in the language of the page. The service says them in English. Pure.
import type { Controller, ControllerDiagnostic } from "#client/resources.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { CONTROLLER_GERMAN } from "./controller-german.ts";

const GERMAN = new Map(Object.entries(CONTROLLER_GERMAN));
/** Forms with places; the more a form says itself, the earlier it is tried. */
const FORMS = [...GERMAN]
  .filter(([english]) => english.includes("{"))
  .map(([english, german]) => ({ form: formOf(english), german, own: english.replaceAll(/\{\w+\}/g, "").length }))
  .toSorted((one, other) => other.own - one.own);
const LONGEST = 1_000;
const HINT = /^(.+); did you mean (.{1,80})\?$/s;

function formOf(english: string): RegExp {
  const form = english.replaceAll(/[.*+?^$()[\]\\|]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>.+?)");
  return new RegExp(`^${form}$`, "s");
}

/** What is not known stays as it is. */
export function controllerText(text: string, locale: Locale): string {
  if (locale === "en" || text.length > LONGEST) return text;
  const known = GERMAN.get(text);
  if (known !== undefined) return known;
  for (const { form, german } of FORMS) {
    const found = form.exec(text)?.groups;
    if (found !== undefined) return german.replaceAll(/\{(\w+)\}/g, (_, name: string) => found[name] ?? "");
  }
  return text;
}

export function controllerIn(controller: Controller, locale: Locale): Controller {
  const said = <Named extends { readonly display_name: string; readonly description: string }>(one: Named): Named => ({
    ...one,
    display_name: controllerText(one.display_name, locale),
    description: controllerText(one.description, locale),
  });
  return locale === "en" ? controller : { ...said(controller), parameters: controller.parameters.map(said) };
}

/** Begins with the name of the parameter, as the service says it, or with the one at the field. */
export function problemIn({ pointer, message }: ControllerDiagnostic, controller: Controller, locale: Locale): string {
  if (locale === "en") return message;
  const parameter = controller.parameters.find(({ name }) => pointer === `/parameters/${name}`);
  const [, rest = message, meant] = HINT.exec(message) ?? [];
  const isNamed = parameter !== undefined && rest.startsWith(`${parameter.name} `);
  const said = isNamed
    ? `${controllerText(parameter.display_name, locale)} ${controllerText(rest.slice(parameter.name.length + 1), locale)}`
    : controllerText(rest, locale);
  return meant === undefined ? said : `${said}; meinten Sie ${meant}?`;
}
