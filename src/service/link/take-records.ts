// Stores the records that one connected gateway sends, and refuses single ones: those that the cloud cannot keep, and those
// beyond what a gateway may have.
import { parseAlertKey, siteOfKey } from "#core/link/linked-key.ts";
import type { LinkedItem } from "#core/link/messages.ts";
import { recordProblem } from "#core/link/record-problem.ts";
import { RecordRefused, type RefusedRecord } from "#core/link/refused-record.ts";
import { type ApplyNeeds, applyItem, type SourceGateway } from "#service/link/apply-linked.ts";
import type { Refusals } from "#service/link/refusals.ts";

export interface TakeRecordsNeeds extends ApplyNeeds {
  /** What one gateway may have here. */
  readonly linkedLimits: { readonly sites: number; readonly devices: number };
}

export interface RecordIntake {
  /** Reads which sites the gateway has here. */
  read(): Promise<void>;
  /** Stores the records. `named`: adds what a full upload names and the cloud keeps. */
  take(items: readonly LinkedItem[], named?: Set<string>): Promise<void>;
  /** Refuses records that came in a message and cannot be read. */
  refuseUnreadable(message: { readonly unreadable?: readonly RefusedRecord[] }, named?: Set<string>): void;
}

export interface RecordLine {
  readonly refusals: Pick<Refusals, "add" | "taken" | "store">;
  /** Resolves when this connection may use the main thread again. */
  turn(): Promise<void>;
  /** Asks for executions of which responses are missing. */
  ask(executions: readonly string[]): Promise<void>;
  /** Called when the gateway has reported a device; with `false` when it has deleted it. */
  onDevice(deviceId: string, isThere: boolean): void;
}

/** Others refer to these. All other records are independent of each other, and those stored together share a commit. */
const FIRST: ReadonlySet<LinkedItem["kind"]> = new Set(["site", "blueprint", "device"]);
const APPLIED_TOGETHER = 256;
/** Each of them takes some ten microseconds of the main thread at least. */
const ITEMS_A_TURN = 32;
/** A full upload deletes those of these kinds that it does not name. */
const NAMED: ReadonlySet<LinkedItem["kind"]> = new Set([
  "site",
  "device",
  "alert",
  "interlock",
  "rule",
  "variable",
  "prices",
]);
/** They belong to a site. */
const OF_SITES: ReadonlySet<LinkedItem["kind"]> = new Set(["interlock", "rule", "variable", "prices"]);

export function createRecordIntake(needs: TakeRecordsNeeds, source: SourceGateway, line: RecordLine): RecordIntake {
  const { refusals } = line;
  const { devices } = source;
  const sites = new Set<string>();

  /** What a full upload names and the cloud does not keep need not be remembered. */
  function isCopied(item: LinkedItem): boolean {
    if (!NAMED.has(item.kind) || item.value === null) return false;
    if (OF_SITES.has(item.kind)) return sites.has(siteOfKey(item) ?? "");
    return (
      item.kind === "site" || devices.has((item.kind === "alert" ? parseAlertKey(item.key)?.deviceId : item.key) ?? "")
    );
  }

  /** What the cloud has of a record that is refused stays as it was taken last. */
  function refuse(record: Pick<RefusedRecord, "kind" | "key">, reason: string, named?: Set<string>): void {
    refusals.add(record, reason);
    const isHere = sites.has(record.key) || devices.has(record.key) || sites.has(siteOfKey(record) ?? "");
    if (isHere) named?.add(`${record.kind} ${record.key}`);
  }

  function limitProblem(item: LinkedItem): string | undefined {
    if (item.value === null) return undefined;
    const { sites: mostSites, devices: mostDevices } = needs.linkedLimits;
    if (item.kind === "site" && !sites.has(item.key) && sites.size >= mostSites)
      return `a gateway may have ${mostSites} sites here (link.max_sites)`;
    if (item.kind === "device" && !devices.has(item.key) && devices.size >= mostDevices)
      return `a gateway may have ${mostDevices} devices here (link.max_devices)`;
    return undefined;
  }

  /** True when responses of an execution are missing. */
  async function apply(item: LinkedItem): Promise<boolean> {
    try {
      const outcome = await applyItem(needs, source, item);
      refusals.taken(item);
      if (item.kind === "site" && item.value === null) sites.delete(item.key);
      else if (item.kind === "site") sites.add(item.key);
      return outcome === "gap";
    } catch (error) {
      if (!(error instanceof RecordRefused)) throw error;
      refusals.add(item, error.message);
      return false;
    }
  }

  /** Keys of the records that have gaps. */
  async function applyTogether(items: readonly LinkedItem[]): Promise<readonly string[]> {
    const applied = await Promise.allSettled(items.map(apply));
    // Only now: nothing comes into sight after the session has ended because of one that failed.
    for (const one of applied) if (one.status === "rejected") throw one.reason;
    return items.filter((_, at) => applied[at]?.status === "fulfilled" && applied[at].value).map(({ key }) => key);
  }

  return {
    async read() {
      for (const siteId of await needs.gateways.sites(source.gatewayId)) sites.add(siteId);
    },
    async take(items, named) {
      const gaps: string[] = [];
      let together: LinkedItem[] = [];
      for (const item of items) {
        const problem = recordProblem(item) ?? limitProblem(item);
        if (problem !== undefined) {
          refuse(item, problem, named);
          continue;
        }
        const isFirst = FIRST.has(item.kind);
        if (isFirst || together.length >= APPLIED_TOGETHER) {
          gaps.push(...(await applyTogether(together)));
          together = [];
        }
        if (isFirst || together.length % ITEMS_A_TURN === 0) await line.turn();
        if (isFirst) await apply(item);
        else together.push(item);
        if (isCopied(item)) named?.add(`${item.kind} ${item.key}`);
        if (item.kind === "device") line.onDevice(item.key, item.value !== null);
      }
      gaps.push(...(await applyTogether(together)));
      await refusals.store();
      await line.ask(gaps);
    },
    refuseUnreadable({ unreadable = [] }, named) {
      for (const one of unreadable) refuse(one, one.reason, named);
    },
  };
}
