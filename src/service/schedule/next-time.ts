import { Cron } from "croner";
import { isTimezone } from "#core/site/timezone.ts";

const MOST_TEXT = 100;

/**
 * The times of a cron expression of five fields. A time that does not exist because the clocks go forward is the next
 * moment, and one that exists twice comes once.
 */
export function cronTimes(expression: string, timezone: string): (after: number) => number | undefined {
  const cron = new Cron(expression, { timezone, paused: true, mode: "5-part" });
  return (after) => cron.nextRun(new Date(after))?.getTime();
}

/** What is wrong with it; undefined: nothing. */
export function cronProblem(expression: string): string | undefined {
  if (expression.length > MOST_TEXT) return `a cron expression has at most ${MOST_TEXT} characters`;
  try {
    cronTimes(expression, "UTC");
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "it cannot be read";
    return message.slice(0, 200);
  }
}

export const timezoneProblem = (timezone: string): string | undefined =>
  isTimezone(timezone) ? undefined : "this is no time zone, such as Europe/Berlin";
