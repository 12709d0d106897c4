import { expect, test } from "vitest";
import { claimOfCommand, isEndedBy } from "./command-claim.ts";

const claimed = (scheduleId: string | undefined) =>
  claimOfCommand({
    id: "c",
    deviceId: "d",
    control: "power",
    cause: undefined,
    value: 5,
    command: "set_power",
    tokenId: "t",
    scheduleId,
    now: 0,
  });

test("a command of a schedule is a claim of a rule, and ends no claim of the person who made it", () => {
  const [person, rule] = [claimed(undefined), claimed("s")];
  expect(person).toMatchObject({ class: "person", source: "token:t", leaseUntil: 3_600_000 });
  expect(rule).toMatchObject({ class: "rule", source: "schedule:s", leaseUntil: 3_600_000 });
  expect([isEndedBy(person, rule), isEndedBy(rule, person), isEndedBy(rule, rule)]).toEqual([false, false, true]);
});
