import { expect, test, vi } from "vitest";
import { latest } from "./latest.svelte.ts";
import { soon } from "./soon.ts";

function asking() {
  const open: PromiseWithResolvers<string>[] = [];
  const answer = latest(() => {
    const question = Promise.withResolvers<string>();
    open.push(question);
    return question.promise;
  });
  return { answer, open };
}

test("of two questions the later one counts, in whatever order the answers come", async () => {
  const { answer, open } = asking();
  const reads = [answer.read(), answer.read()];
  open[1]?.resolve("new");
  open[0]?.resolve("old");
  await Promise.all(reads);
  expect([answer.value, answer.error]).toEqual(["new", undefined]);
});

test("an answer on its way is older than what became known meanwhile, and so is a failure", async () => {
  const { answer, open } = asking();
  const reads = [answer.read()];
  answer.drop();
  answer.value = "known";
  open[0]?.resolve("old");
  reads.push(answer.read());
  answer.drop();
  open[1]?.reject(new Error("late"));
  await Promise.all(reads);
  expect([answer.value, answer.error]).toEqual(["known", undefined]);
});

test("what is known stays when a question fails, and the next answer takes the failure away", async () => {
  const { answer, open } = asking();
  answer.value = "known";
  const error = new Error("no");
  const first = answer.read();
  open[0]?.reject(error);
  await first;
  expect([answer.value, answer.error]).toEqual(["known", error]);
  const second = answer.read();
  open[1]?.resolve("new");
  await second;
  expect([answer.value, answer.error]).toEqual(["new", undefined]);
});

test("nothing is read while there is nothing to ask", async () => {
  const answer = latest<string>(() => undefined);
  await answer.read();
  expect([answer.value, answer.error]).toEqual([undefined, undefined]);
});

test("what many events ask for is done once, and not after a stop", () => {
  vi.useFakeTimers();
  let count = 0;
  const again = soon(() => count++);
  again.ask();
  again.ask();
  vi.advanceTimersByTime(300);
  expect(count).toBe(1);
  again.ask();
  again.stop();
  vi.advanceTimersByTime(300);
  expect(count).toBe(1);
  again.ask();
  vi.advanceTimersByTime(300);
  expect(count).toBe(2);
  vi.useRealTimers();
});
