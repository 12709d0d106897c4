import type { ChannelStore } from "#service/ports/channel-store.ts";
import type { Database } from "#store/database.ts";
import { CHANNEL_COLUMNS, channelsOf, readChannels } from "./channel-row.ts";
import type { Writer } from "./writer.ts";

export function createChannelStore(reader: Database, writer: Writer): ChannelStore {
  return {
    insert: (channel, trail) => writer.run("insertChannel", { channel, trail }),
    update: (channel, trail, before) => writer.run("updateChannel", { channel, trail, before }),
    delete: (named, trail) => writer.run("deleteChannel", { named, trail }),
    ofSite: (siteId) => channelsOf(reader, siteId),
    async find(siteId, id) {
      const sql = `SELECT ${CHANNEL_COLUMNS} FROM notification_channel WHERE site_id = ? AND id = ?`;
      return readChannels(reader, await reader.all(sql, siteId, id))[0];
    },
  };
}
