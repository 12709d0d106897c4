// Ready controllers in the language of the page. The service says them in English. Pure.
import type { Controller, ControllerDiagnostic } from "#client/resources.ts";
import type { Locale } from "#web/data/preferences.svelte.ts";
import { serverTexts } from "#web/i18n/server-texts.ts";
import { CONTROLLER_GERMAN } from "./controller-german.ts";

const german = serverTexts(CONTROLLER_GERMAN);
const HINT = /^(.+); did you mean (.{1,80})\?$/s;

export const controllerText = (text: string, locale: Locale): string => (locale === "en" ? text : german(text));

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
