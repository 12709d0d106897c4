// What tells people: it decides, and it sends.
import type { Engines } from "#role/open-engines.ts";
import { createMessageDispatcher } from "#service/notification/message-dispatcher.ts";
import { createNotifier, type NotifierNeeds } from "#service/notification/notifier.ts";

export function withNotifications<Rules extends Pick<NotifierNeeds, "siteCalendars">>(engines: Engines, rules: Rules) {
  const messageDispatcher = createMessageDispatcher(engines);
  const notifier = createNotifier({ ...engines, siteCalendars: rules.siteCalendars, messageDispatcher });
  engines.opened.defer(() => messageDispatcher.stop());
  engines.opened.defer(() => notifier.stop());
  const leave = engines.events.listen(({ kind }) => {
    if (kind === "alert" || kind === "notification") notifier.wake();
  });
  engines.opened.defer(leave);
  engines.clock.listen(({ from, to }) => {
    if (to < from) engines.background.run("look at who is told again", () => notifier.changed(undefined));
  });
  notifier.wake();
  return { ...rules, messageDispatcher, notifier };
}
