// Every abuse. To add one, add it to the file of its kind. Those of a cloud come first, so that the restart at the end is
// that of a gateway which has suffered all the others.
import type { Abuse } from "./abuse.ts";
import { BLUEPRINT_ABUSES } from "./abuses/blueprints.ts";
import { BODY_ABUSES } from "./abuses/bodies.ts";
import { CONNECTION_ABUSES } from "./abuses/connections.ts";
import { DEVICE_ABUSES } from "./abuses/devices.ts";
import { EVENT_ABUSES } from "./abuses/event-streams.ts";
import { HOSTILE_CLOUDS, LINK_ABUSES } from "./abuses/links.ts";
import { CLOUD_ABUSES, OPERATION_ABUSES } from "./abuses/operations.ts";
import { OWNER_ABUSES } from "./abuses/owners.ts";
import { READ_ABUSES } from "./abuses/reads.ts";
import { RULE_ABUSES } from "./abuses/rules.ts";
import { SCRIPT_ABUSES } from "./abuses/scripts.ts";

export const ABUSES: readonly Abuse[] = [
  ...CLOUD_ABUSES,
  ...LINK_ABUSES,
  ...BODY_ABUSES,
  ...READ_ABUSES,
  ...CONNECTION_ABUSES,
  ...EVENT_ABUSES,
  ...BLUEPRINT_ABUSES,
  ...OWNER_ABUSES,
  ...OPERATION_ABUSES,
  ...DEVICE_ABUSES,
  ...SCRIPT_ABUSES,
  ...RULE_ABUSES,
  ...HOSTILE_CLOUDS,
];
