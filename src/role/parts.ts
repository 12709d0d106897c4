// Everything that subjects are made of.

import type { GuideNeeds } from "#http/guide/guide-routes.ts";
import type { RunningBackups } from "#role/backups.ts";
import type { Carriers } from "#role/carriers.ts";
import type { Linking } from "#role/open-linking.ts";
import type { Simulators } from "#runtime/simulator/create-simulator.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import type { CloudControls } from "#service/control/cloud-controls.ts";
import type { ReportedControls } from "#service/control/reported-controls.ts";
import type { EventStreams } from "#service/event/event-streams.ts";
import type { ReportedInterlocks } from "#service/interlock/reported-interlocks.ts";
import type { GatewayChanges } from "#service/link/gateway-changes.ts";
import type { GatewayQuestions } from "#service/link/gateway-questions.ts";
import type { JoinNeeds } from "#service/link/join-cloud.ts";
import type { Links } from "#service/link/links.ts";
import type { Uplink } from "#service/link/uplink.ts";
import type { MessageDispatcher } from "#service/notification/message-dispatcher.ts";
import type { Notifier } from "#service/notification/notifier.ts";
import type { SimulateRule } from "#service/ports/simulate-rule.ts";
import type { SystemReader } from "#service/ports/system-status.ts";
import type { TestRule } from "#service/ports/test-rule.ts";
import type { LuaDryRun } from "#service/rule/lua-dry-run.ts";
import type { ReportedRules } from "#service/rule/reported-rules.ts";
import type { RuleEngine } from "#service/rule/rule-engine.ts";
import type { RuleLog } from "#service/rule/rule-log.ts";

export interface Parts extends Linking, GuideNeeds {
  /** These in a cloud. */
  readonly gatewayChanges: GatewayChanges | undefined;
  readonly gatewayQuestions: GatewayQuestions | undefined;
  readonly links: Links | undefined;
  readonly reportedControls: ReportedControls | undefined;
  readonly reportedRules: ReportedRules | undefined;
  readonly reportedInterlocks: ReportedInterlocks | undefined;
  readonly cloudControls: CloudControls | undefined;
  /** These two on a gateway. */
  readonly uplink: Uplink | undefined;
  readonly join: JoinNeeds | undefined;
  readonly carriers: Carriers;
  readonly simulator: Simulators;
  readonly eventStreams: EventStreams;
  readonly backups: RunningBackups;
  readonly notifier: Notifier;
  readonly messageDispatcher: MessageDispatcher;
  readonly ruleEngine: RuleEngine;
  readonly siteCalendars: SiteCalendars;
  readonly ruleLog: RuleLog;
  readonly simulateRule: SimulateRule;
  readonly testRule: TestRule;
  readonly luaDryRun: LuaDryRun;
  readonly system: SystemReader;
}
