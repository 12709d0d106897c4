import { type Static, Type } from "typebox";
import { refuse } from "#core/app-error.ts";
import { type Route, route } from "#http/route.ts";
import { oneOf, strict } from "#http/wire.ts";
import { type GenerateConfigNeeds, generateConfig } from "#service/device/generate-config.ts";

const configSchema = strict("DeviceConfig", {
  mqtt_host: Type.String(),
  mqtt_port: Type.Integer(),
  mqtt_protocol: oneOf(["MQTT", "MQTTS"]),
  mqtt_credentials: strict("MqttCredentials", { username: Type.String(), password: Type.String() }),
  hardware_id: Type.String(),
  channel_id: Type.String(),
  time_sync_protocol: oneOf(["HTTP"]),
  time_sync_host: Type.String(),
  time_sync_port: Type.Integer(),
});

interface ConfigSettings {
  readonly mqttPort: number | undefined;
}

export function deviceConfigRoutes(needs: GenerateConfigNeeds, settings: ConfigSettings): readonly Route[] {
  return [
    route({
      method: "POST",
      path: "/v3/devices/:device_id/generate_config",
      operation: "generateConfig",
      summary: "Generate the connection settings of a device",
      description: "Makes a new secret, shown this once, and voids the former one.",
      tag: "Provisioning",
      access: "owner",
      body: strict("GenerateConfig", { protocol: oneOf(["MQTT", "MQTTS"]) }),
      answer: Type.Object({ config: configSchema }, { additionalProperties: false }),
      handle: async (call) => {
        if (settings.mqttPort === undefined)
          throw refuse("not_available", "no MQTT broker runs here (mqtt.port is off)");
        if (call.body.protocol === "MQTTS") {
          throw refuse("not_available", "MQTTS is not available here; use MQTT inside a trusted network");
        }
        const { hardwareId, channelId, secret } = await generateConfig(needs, call, call.params.device_id);
        const host = call.host();
        const config: Static<typeof configSchema> = {
          mqtt_host: host.name,
          mqtt_port: settings.mqttPort,
          mqtt_protocol: "MQTT",
          mqtt_credentials: { username: hardwareId, password: secret },
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
