import { listAll } from "#client/list-all.ts";
import type { Calendar } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import type { SiteState } from "#web/data/site-state.svelte.ts";
import { nameOf, textOf } from "#web/rules/rule-code.ts";
import { RuleWorkerClient } from "#web/rules/rule-worker-client.ts";
import { exceptsOf, luaNames, schedulesWith } from "./calendar-view.ts";

export type CalendarUses = {
  readonly rules: readonly { readonly id: string; readonly name: string }[];
  readonly schedules: readonly string[];
  readonly calendars: readonly string[];
};

/** Who asks a calendar. Rules are read by a worker: a site may have hundreds. */
export function calendarUses(site: SiteState, name: () => string, calendars: () => readonly Calendar[] | undefined) {
  let found = $state.raw<Omit<CalendarUses, "calendars">>();
  let error = $state.raw<unknown>();

  async function read(asked: string, worker: RuleWorkerClient): Promise<Omit<CalendarUses, "calendars">> {
    const [all, schedules] = await Promise.all([
      Array.fromAsync(listAll("rules", (window) => client.rules.list(site.id, window))),
      Array.fromAsync(listAll("schedules", (window) => client.schedules.list(window))),
    ]);
    const rules = [];
    for (const rule of all) {
      const text = textOf(rule.script.code);
      // Reading a rule takes longer than looking for a word.
      if (!text.includes(asked)) continue;
      const isUse =
        rule.script.language === "yaml"
          ? (await worker.ask("read", text)).reads?.calendars.includes(asked) === true
          : luaNames(text, asked);
      if (isUse) rules.push({ id: rule.id, name: nameOf(rule) });
    }
    return { rules, schedules: schedulesWith(schedules, site.id, asked).map((one) => one.name) };
  }

  $effect(() => {
    const asked = name();
    const worker = new RuleWorkerClient();
    let isOpen = true;
    found = undefined;
    read(asked, worker).then(
      (uses) => {
        if (isOpen) [found, error] = [uses, undefined];
      },
      (caught: unknown) => {
        if (isOpen) error = caught;
      },
    );
    return () => {
      isOpen = false;
      worker.close();
    };
  });

  return {
    /** Undefined until it is known. */
    get value(): CalendarUses | undefined {
      const known = calendars();
      return found && known && { ...found, calendars: exceptsOf(known, name()) };
    },
    get error(): unknown {
      return error;
    },
  };
}
