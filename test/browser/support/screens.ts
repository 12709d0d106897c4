// Every screen of the page, from its own table of addresses: a new screen is tested without being named here.
import { href, PATHS, type RouteName } from "../../../web/src/router/paths.ts";

/** What stands for the ids in an address. */
export interface Ids {
  readonly site: string;
  readonly device: string;
  readonly command: string;
  readonly entry: string;
  readonly blueprint: string;
  readonly rollout: string;
  readonly gateway: string;
  readonly rule: string;
  readonly controller: string;
  readonly calendar: string;
}

export interface Screen {
  readonly name: string;
  readonly path: string;
}

export const SCREEN_NAMES = Object.keys(PATHS).filter((name) => name !== "signIn") as RouteName[];

export function screensOf(ids: Ids): readonly Screen[] {
  return SCREEN_NAMES.map((name) => ({ name, path: href(name, ids as never) }));
}

/** What an address opens on a screen: steps, dialogs and drawers. */
export function openedOf(ids: Ids & { readonly execution: string }): readonly Screen[] {
  const execution = `${ids.device}:${ids.execution}`;
  return [
    { name: "add a device over MQTT", path: href("addDevice", ids, { kind: "mqtt" }) },
    { name: "choose a blueprint", path: href("addDevice", ids, { kind: "lua" }) },
    { name: "add a device with a script", path: href("addDevice", ids, { kind: "lua", blueprint: ids.blueprint }) },
    { name: "add a child", path: href("addDevice", ids, { kind: "child" }) },
    { name: "new person", path: href("people", {}, { new: true }) },
    { name: "new token", path: href("access", {}, { new: true }) },
    { name: "form of a rule", path: href("editRule", ids, { view: "form" }) },
    { name: "new weekly plan", path: href("calendars", ids, { new: "weekly" }) },
    { name: "new calendar of a file", path: href("calendars", ids, { new: "ical" }) },
    { name: "new channel", path: href("channels", ids, { new: "mail" }) },
    { name: "new maintenance window", path: href("maintenance", ids, { new: true }) },
    { name: "new rule in Lua", path: href("newRule", ids, { language: "lua" }) },
    { name: "execution drawer", path: href("deviceExecutions", ids, { execution }) },
  ];
}
