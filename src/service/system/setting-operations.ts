import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { described, strict } from "#service/operation/wire.ts";
import type { LiveSetting } from "#service/ports/live-settings.ts";
import { changeSetting, type SettingNeeds } from "#service/system/change-setting.ts";

const tag = "System";
const settingSchema = described("SystemSetting", "A setting that can be changed while Busbar runs.", {
  name: Type.String(),
  about: Type.String(),
  value: Type.String({ description: "What holds now. A list has commas." }),
  configured: Type.String({ description: "What flags, environment and file say, or the default." }),
  changed: Type.Boolean({ description: "Whether it was changed while Busbar ran; a reset ends that." }),
});
const one = Type.Object({ setting: settingSchema }, { additionalProperties: false });

const render = ({ isChanged, ...setting }: LiveSetting) => ({ ...setting, changed: isChanged });

export function settingOperations(needs: SettingNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/system/settings",
      name: "listSettings",
      summary: "Settings that can be changed while Busbar runs",
      tag,
      level: "system",
      answer: Type.Object({ settings: Type.Array(settingSchema) }, { additionalProperties: false }),
      run: async () => ({ settings: needs.liveSettings.list().map(render) }),
    }),
    operation({
      method: "PUT",
      path: "/v3/system/settings/:setting",
      name: "putSetting",
      summary: "Change a setting",
      description:
        "Holds at once, on all nodes and after restarts, and wins over the configuration. Connections that scripts have open stay when lua.allow changes.",
      tag,
      level: "system",
      body: strict("NewSettingValue", { value: Type.String({ maxLength: 20_000 }) }),
      answer: one,
      run: async (call) => {
        const name = call.params.setting;
        return { setting: render(await changeSetting(needs, call, { name, value: call.body.value })) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/system/settings/:setting",
      name: "resetSetting",
      summary: "Reset a setting to what is configured",
      tag,
      level: "system",
      answer: one,
      run: async (call) => {
        const name = call.params.setting;
        return { setting: render(await changeSetting(needs, call, { name, value: undefined })) };
      },
    }),
  ];
}
