import type { Payload } from "#core/command/execution.ts";
import { type Route, route } from "#http/route.ts";
import { Type } from "#http/schema.ts";
import { type ConfigurationNeeds, readConfiguration, writeConfiguration } from "#service/device/configuration.ts";

const tag = "Configuration";
const values = Type.Object({}, { additionalProperties: true, description: "Parameter to value." });
const buckets = Type.Unsafe<Record<string, Payload>>({
  type: "object",
  maxProperties: 100,
  additionalProperties: { type: "object", description: "Parameter to value." },
});
const allAnswer = Type.Object({ configuration: buckets }, { additionalProperties: false });
const oneAnswer = Type.Object({ bucket: Type.String(), values }, { additionalProperties: false });

export function configurationRoutes(needs: ConfigurationNeeds): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/v3/devices/:device_id/configuration",
      operation: "getConfiguration",
      summary: "Read the configuration of a device",
      description: "The buckets that the token's level may read, defaults filled in; sensitive values read ***.",
      tag,
      access: "readonly",
      answer: allAnswer,
      handle: async (call) => {
        const read = await readConfiguration(needs, call, { device: call.params.device_id, bucket: undefined });
        return { configuration: Object.fromEntries(read) };
      },
    }),
    route({
      method: "PUT",
      path: "/v3/devices/:device_id/configuration",
      operation: "putConfiguration",
      summary: "Replace configuration buckets of a device",
      description: "All given buckets or none. A sensitive parameter that is left out or sent as *** keeps its value.",
      tag,
      access: "readonly",
      body: buckets,
      answer: allAnswer,
      handle: async (call) => {
        const given = new Map(Object.entries(call.body));
        const written = await writeConfiguration(needs, call, {
          device: call.params.device_id,
          buckets: given,
          isOneBucket: false,
        });
        return { configuration: Object.fromEntries(written) };
      },
    }),
    route({
      method: "GET",
      path: "/v3/devices/:device_id/configuration/:bucket",
      operation: "getConfigurationBucket",
      summary: "Read one configuration bucket",
      tag,
      access: "readonly",
      answer: oneAnswer,
      handle: async (call) => {
        const { device_id: device, bucket } = call.params;
        return { bucket, values: (await readConfiguration(needs, call, { device, bucket })).get(bucket) ?? {} };
      },
    }),
    route({
      method: "PUT",
      path: "/v3/devices/:device_id/configuration/:bucket",
      operation: "putConfigurationBucket",
      summary: "Replace one configuration bucket",
      tag,
      access: "readonly",
      body: values,
      answer: oneAnswer,
      handle: async (call) => {
        const { device_id: device, bucket } = call.params;
        const written = await writeConfiguration(needs, call, {
          device,
          buckets: new Map([[bucket, call.body as Payload]]),
          isOneBucket: true,
        });
        return { bucket, values: written.get(bucket) ?? {} };
      },
    }),
  ];
}
