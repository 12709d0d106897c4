// Some calls take long: they wait for the disk or for a device, or stream events. Each holds a place meanwhile, and no
// single token or address can take them all.
import { AppError } from "#core/app-error.ts";
import { addressBlock } from "#core/net/address-block.ts";
import type { FairShare, Leave } from "#core/share/fair-share.ts";
import { type Requester, requesterOf } from "#core/share/requester.ts";
import type { Shares } from "#core/share/shares.ts";
import type { Call } from "#service/ports.ts";

interface PlaceLimits {
  readonly slots: number;
  readonly perToken: number;
  readonly perAddress: number;
}

interface Places {
  /** The name of the share; the share of addresses is `<name>_of_address`. */
  readonly name: string;
  /** The message when `limit` places are taken. */
  readonly refusal: (whose: Requester["kind"] | "all", limit: number) => AppError;
}

/** Takes a place, or throws the refusal. The returned function gives the place back. */
export type TakePlace = (call: Pick<Call, "caller" | "remoteAddress">) => Leave;

const RETRY_AFTER_S = 1;

export function openCallPlaces(
  shares: Pick<Shares, "open">,
  { name, refusal }: Places,
  { slots, perToken, perAddress }: PlaceLimits,
): TakePlace {
  const nobodyWaits = { slots, waiting: 0, waitingPerKey: 0 };
  const byToken = shares.open(name, { ...nobodyWaits, slotsPerKey: perToken });
  const byAddress = shares.open(`${name}_of_address`, { ...nobodyWaits, slotsPerKey: perAddress });
  const isFull = (share: FairShare) => share.inside >= slots;

  return ({ caller, remoteAddress }) => {
    const { kind, key } = requesterOf(caller, remoteAddress);
    const leaveToken = byToken.tryEnter(key);
    if (leaveToken === undefined) throw isFull(byToken) ? refusal("all", slots) : refusal(kind, perToken);
    const leaveAddress = byAddress.tryEnter(addressBlock(remoteAddress));
    if (leaveAddress === undefined) {
      leaveToken();
      throw refusal("address", perAddress);
    }
    return () => {
      leaveToken();
      leaveAddress();
    };
  };
}

/** `what` names the calls: "calls that change something". */
export function callRefusal(what: string): Places["refusal"] {
  return (whose, limit) => {
    if (whose !== "all") return tooManyCalls(`${limit} ${what} are under way for this ${whose}`);
    const message = `${limit} ${what} are under way; try again in a moment`;
    return new AppError([{ code: "overloaded", message }], RETRY_AFTER_S);
  };
}

export function tooManyCalls(problem: string): AppError {
  return new AppError(
    [{ code: "too_many_calls", message: `${problem}; send fewer at once, or try again in a moment` }],
    RETRY_AFTER_S,
  );
}
