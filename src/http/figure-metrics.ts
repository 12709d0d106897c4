import type { ReadMetric } from "#http/add-metrics.ts";
import type { Figures } from "#service/ports/figures.ts";

export const FIGURE_METRICS: readonly ReadMetric<Figures>[] = [
  {
    name: "busbar_devices",
    help: "Devices by connectivity; unknown ones have not been heard of since the start.",
    label: "status",
    read: ({ devices }) => Object.entries(devices).map(([status, count]) => [count, status]),
  },
  {
    name: "busbar_alerts",
    help: "Active alerts by severity.",
    label: "severity",
    read: ({ alerts }) => [...alerts].map(([severity, count]) => [count, severity]),
  },
  {
    name: "busbar_executions_open",
    help: "Executions that this node watches and that have not ended.",
    read: ({ openExecutions }) => [[openExecutions]],
  },
  {
    name: "busbar_mqtt_connections",
    help: "Connections of devices that have signed in at the embedded broker.",
    read: ({ mqtt }) => (mqtt === undefined ? [] : [[mqtt.connections]]),
  },
  {
    name: "busbar_mqtt_sign_ins_total",
    help: "Sign-ins of devices at the embedded broker, by outcome: accepted or refused.",
    label: "outcome",
    isCounter: true,
    read: ({ mqtt }) => Object.entries(mqtt?.signIns ?? {}).map(([outcome, count]) => [count, outcome]),
  },
  {
    name: "busbar_webhook_deliveries_waiting",
    help: "Deliveries to webhooks that wait for their first or next attempt.",
    read: ({ waitingDeliveries }) => [[waitingDeliveries]],
  },
  {
    name: "busbar_notifications_sent_total",
    help: "Messages to people that their receivers have taken, by kind of channel.",
    label: "kind",
    isCounter: true,
    read: ({ notifications }) => [...notifications.sent].map(([kind, count]) => [count, kind]),
  },
  {
    name: "busbar_notifications_failed_total",
    help: "Messages to people that were given up, or whose outcome is unknown, by kind of channel.",
    label: "kind",
    isCounter: true,
    read: ({ notifications }) => [...notifications.failed].map(([kind, count]) => [count, kind]),
  },
  {
    name: "busbar_notifications_waiting",
    help: "Messages to people that wait for their first or next attempt, by kind of channel.",
    label: "kind",
    read: ({ notifications }) => notifications.waiting.map(({ kind, count }) => [count, kind]),
  },
  {
    name: "busbar_notifications_oldest_seconds",
    help: "How long the oldest message to people that waits has waited, by kind of channel.",
    label: "kind",
    read: ({ notifications }) => notifications.waiting.map(({ kind, oldestMs }) => [oldestMs / 1_000, kind]),
  },
  {
    name: "busbar_link_connected",
    help: "1 while this gateway is connected to its cloud, otherwise 0.",
    read: ({ uplink }) => (uplink === undefined ? [] : [[uplink.isConnected ? 1 : 0]]),
  },
  {
    name: "busbar_link_backlog",
    help: "What the cloud has not confirmed: changes of records, new messages of telemetry, hours of older telemetry.",
    label: "kind",
    read: ({ uplink }) =>
      uplink === undefined
        ? []
        : [
            [uplink.changes, "changes"],
            [uplink.messages, "messages"],
            [uplink.hours, "hours"],
          ],
  },
  {
    name: "busbar_link_history_lost_total",
    help: "Hours, days or pieces of telemetry that the cloud never gets, since joining: deleted before it had them, or not readable.",
    label: "reason",
    isCounter: true,
    read: ({ uplink }) => Object.entries(uplink?.dropped ?? {}).map(([reason, count]) => [count, reason]),
  },
  {
    name: "busbar_gateways_connected",
    help: "Gateways that are connected to this cloud.",
    read: ({ connectedGateways }) => (connectedGateways === undefined ? [] : [[connectedGateways]]),
  },
  {
    name: "busbar_disk_free_bytes",
    help: "Bytes that are free for Busbar on the disk of the data folder.",
    read: ({ disk }) => [[disk.freeBytes]],
  },
  {
    name: "busbar_disk_bytes",
    help: "The size of the disk of the data folder.",
    read: ({ disk }) => [[disk.totalBytes]],
  },
  {
    name: "busbar_store_bytes",
    help: "The size of each file of the embedded store.",
    label: "file",
    read: ({ files }) => files.map(({ name, bytes }) => [bytes, name]),
  },
  {
    name: "busbar_telemetry_chunks",
    help: "Sealed chunks of telemetry: one attribute of a device in an hour or a day.",
    read: ({ chunks }) => [[chunks]],
  },
  {
    name: "busbar_certificate_expiry_timestamp_seconds",
    help: "When the certificate of each server with TLS ends, in Unix seconds.",
    label: "server",
    read: ({ certificates }) => [...certificates].map(([server, at]) => [at / 1000, server]),
  },
  {
    name: "busbar_spans_total",
    help: "Spans for the collector of tracing.otlp_endpoint, by outcome: sent, or dropped because it is slow or away.",
    label: "outcome",
    isCounter: true,
    read: ({ spans }) => Object.entries(spans ?? {}).map(([outcome, count]) => [count, outcome]),
  },
];
