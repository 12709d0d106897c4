// What differs between a gateway and a cloud. Everything else is the same program.
import type { Site } from "#core/site/site.ts";
import type { Demo } from "#demo/start-demo.ts";
import type { SimulatedPorts } from "#drivers/simulated-ports.ts";
import type { Engines } from "#role/open-engines.ts";
import type { Linking } from "#role/open-linking.ts";
import type { Parts } from "#role/parts.ts";
import type { ProcessMeter } from "#role/process-meter.ts";
import type { Subject } from "#role/subject.ts";
import type { TokenHolders, TokenSharing } from "#service/link/share-tokens.ts";

/** What a cloud has and a gateway has not. */
export type CloudParts = Pick<
  Parts,
  | "gatewayChanges"
  | "gatewayQuestions"
  | "links"
  | "reportedControls"
  | "reportedRules"
  | "reportedInterlocks"
  | "cloudControls"
>;

export interface Role {
  readonly shareTokens: (holders: TokenHolders, sharing: TokenSharing) => TokenHolders;
  /** What connects gateways to a cloud. */
  readonly openLinks: (linking: Linking) => Promise<CloudParts>;
  /** What exists before a device connects. */
  readonly prepare: (engines: Engines, simulated: SimulatedPorts) => Promise<Demo | undefined>;
  /** What connects a gateway to its cloud. */
  readonly openUplink: (linking: Linking, meter: ProcessMeter) => Promise<Pick<Parts, "uplink" | "join">>;
  readonly subjects: (parts: Parts) => readonly Subject[];
  /** A site whose time zone nobody has confirmed yet. */
  readonly assumedSite: (engines: Engines) => Promise<Site | undefined>;
}
