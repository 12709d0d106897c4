// A message of a rule: a line in its log, and a notification to the people of its site.
import {
  LONGEST_NOTIFICATION,
  LONGEST_NOTIFICATION_TITLE,
  MOST_NOTIFICATIONS_PER_MINUTE,
} from "#core/notification/notification.ts";
import type { SendNotification } from "#service/notification/send-notification.ts";
import type { ActForRuleNeeds } from "./act-for-rule.ts";
import { RuleProblem } from "./rule-arguments.ts";
import type { RuleLog } from "./rule-log.ts";

export interface NotifyNeeds {
  readonly sendNotification: SendNotification;
  readonly ruleLog: Pick<RuleLog, "add">;
}

export const createNotifyForRule =
  ({ sendNotification, ruleLog }: NotifyNeeds): ActForRuleNeeds["notify"] =>
  async ({ id, slug, siteId }, { title, text, severity, key }) => {
    const told = {
      ...{ siteId, severity, key },
      title: title?.slice(0, LONGEST_NOTIFICATION_TITLE),
      text: text.slice(0, LONGEST_NOTIFICATION),
      source: { kind: "rule", id, slug } as const,
    };
    const outcome = await sendNotification(told);
    if (outcome === "sent") ruleLog.add(id, severity, title === undefined ? text : `${title}: ${text}`);
    if (outcome !== "too many") return;
    const { source, site } = MOST_NOTIFICATIONS_PER_MINUTE;
    throw new RuleProblem(`a rule sends at most ${source} notifications a minute, and all rules of a site ${site}`);
  };
