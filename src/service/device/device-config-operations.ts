import { refuse } from "#core/app-error.ts";
import { MQTT_PROTOCOLS } from "#core/device/device.ts";
import { type GenerateConfigNeeds, generateConfig } from "#service/device/generate-config.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { oneOf, strict } from "#service/operation/wire.ts";
import type { IssueCertificate } from "#service/ports/carrier.ts";

const configSchema = strict("DeviceConfig", {
  mqtt_host: Type.String(),
  mqtt_port: Type.Integer(),
  mqtt_protocol: oneOf(MQTT_PROTOCOLS),
  mqtt_credentials: Type.Unsafe<Readonly<Record<string, string>>>({
    anyOf: [
      strict("MqttPassword", { username: Type.String(), password: Type.String() }),
      strict("MqttCertificate", {
        private_key: Type.String({ description: "PEM." }),
        certificate: Type.String({ description: "PEM." }),
        ca_chain: Type.String({ description: "PEM: what the device trusts." }),
      }),
    ],
  }),
  hardware_id: Type.String(),
  channel_id: Type.String(),
  time_sync_protocol: oneOf(["HTTP"]),
  time_sync_host: Type.String(),
  time_sync_port: Type.Integer(),
});

interface Endpoint {
  /** Undefined: the name under which the client reached us. */
  readonly host: string | undefined;
  readonly port: number;
}

export interface ConfigSettings {
  /** Undefined where nothing listens. */
  readonly endpoints: { readonly mqtt: Endpoint | undefined; readonly mqtts: Endpoint | undefined };
  readonly issueCertificate: IssueCertificate | undefined;
}

export function deviceConfigOperations(needs: GenerateConfigNeeds, settings: ConfigSettings): readonly Operation[] {
  const { endpoints, issueCertificate } = settings;
  return [
    operation({
      method: "POST",
      path: "/v3/devices/:device_id/generate_config",
      name: "generateConfig",
      summary: "Generate the connection settings of a device",
      description: "Makes a new secret or certificate, shown this once, and voids the former one.",
      tag: "Provisioning",
      level: "owner",
      atGateway: { by: "gateway alone", place: deviceOfPath },
      body: strict("GenerateConfig", { protocol: oneOf(MQTT_PROTOCOLS) }),
      answer: Type.Object({ config: configSchema }, { additionalProperties: false }),
      run: async (call) => {
        const { protocol } = call.body;
        const host = call.host();
        if (host === undefined) {
          await visibleDevice(needs, call, call.params.device_id);
          throw refuse("not_available", "the connection settings name the address at which HTTP was called");
        }
        const isSecure = protocol === "MQTTS";
        const endpoint = isSecure ? endpoints.mqtts : endpoints.mqtt;
        if (endpoint === undefined) {
          throw refuse(
            "not_available",
            `no ${protocol} listener runs here: see the setting ${isSecure ? "mqtt.tls_port" : "mqtt.port"}`,
          );
        }
        const issue = isSecure ? issueCertificate : undefined;
        const { hardwareId, channelId, credentials } = await generateConfig(needs, call, {
          device: call.params.device_id,
          protocol,
          issue,
        });
        const config: Static<typeof configSchema> = {
          mqtt_host: endpoint.host ?? host.name,
          mqtt_port: endpoint.port,
          mqtt_protocol: protocol,
          mqtt_credentials:
            "password" in credentials
              ? { username: hardwareId, password: credentials.password }
              : {
                  private_key: credentials.privateKey,
                  certificate: credentials.certificate,
                  ca_chain: credentials.caChain,
                },
          hardware_id: hardwareId,
          channel_id: channelId,
          time_sync_protocol: "HTTP",
          time_sync_host: host.name,
          time_sync_port: host.port,
        };
        return { config };
      },
    }),
  ];
}
