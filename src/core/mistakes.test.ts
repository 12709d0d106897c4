import { expect, test } from "vitest";
import { AppError, type Refusal } from "#core/app-error.ts";
import { MistakeList, refuseMistakes } from "./mistakes.ts";

function refusalsOf(count: number): { readonly messages: readonly string[]; readonly made: number } {
  const mistakes = new MistakeList<Refusal>();
  let made = 0;
  for (let n = 1; n <= count; n++) mistakes.add(() => ({ code: "invalid_body", message: `mistake ${++made}` }));
  try {
    refuseMistakes(mistakes);
    return { messages: [], made };
  } catch (error) {
    return { messages: error instanceof AppError ? error.refusals.map(({ message }) => message) : [], made };
  }
}

test.each([
  [0, 0, undefined],
  [1, 1, "mistake 1"],
  [20, 20, "mistake 20"],
  [21, 20, "mistake 20 (and 1 more)"],
  [46_000, 20, "mistake 20 (and 45980 more)"],
])("of %i mistakes %i are listed, the last as %s, and no words are made for the rest", (count, listed, last) => {
  const { messages, made } = refusalsOf(count);
  expect([messages.length, made, messages.at(-1)]).toEqual([listed, listed, last]);
});
