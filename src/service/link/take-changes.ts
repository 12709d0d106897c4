// Makes the changes that the cloud asks for, one after the other, and fetches the packages that they need.
import type { AskedChange } from "#core/link/asked-change.ts";
import { fitOutcome } from "#core/link/fit-record.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import type { Line } from "#service/link/line.ts";
import { fitting } from "#service/link/link-pieces.ts";
import { LineLost, type TakeChangeNeeds, takeChange } from "#service/link/take-change.ts";

export interface TakenChanges {
  /** Resolves when the change is made. */
  add(change: AskedChange, isLate: boolean): Promise<void>;
  /** A package that was asked for. */
  fetched(digest: string, content: Uint8Array): void;
  /** After the end of the line. */
  end(): void;
}

export function takeChanges(
  needs: TakeChangeNeeds,
  line: Pick<Line, "send" | "signal">,
  cloudNow: () => number | undefined,
): TakenChanges {
  let last: Promise<void> = Promise.resolve();
  /** Packages that were asked for. */
  const wanted = new Map<string, PromiseWithResolvers<Uint8Array>>();

  async function make(change: AskedChange, isLate: boolean): Promise<void> {
    if (line.signal.aborted) return;
    const { outcome, items } = await takeChange(needs, { change, isLate, fetchPackage, cloudNow });
    const fitted: LinkedItem[] = [];
    for await (const item of fitting(needs.log, items)) fitted.push(item);
    await line.send({ type: "changed", id: change.id, outcome: fitOutcome(outcome), items: fitted });
  }

  async function fetchPackage(digest: string): Promise<Uint8Array> {
    const fetched = Promise.withResolvers<Uint8Array>();
    wanted.set(digest, fetched);
    try {
      await line.send({ type: "want", digest });
      return await fetched.promise;
    } catch (error) {
      throw new LineLost("the connection has ended", { cause: error });
    } finally {
      wanted.delete(digest);
    }
  }

  return {
    add(change, isLate) {
      last = last.then(() => make(change, isLate));
      return last;
    },
    fetched: (digest, content) => wanted.get(digest)?.resolve(content),
    end() {
      for (const { reject } of wanted.values()) reject(new LineLost("the connection has ended"));
    },
  };
}
