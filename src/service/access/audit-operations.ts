import { AUDIT_OUTCOMES } from "#core/access/audit-entry.ts";
import { DOORS } from "#core/access/door.ts";
import { auditEntrySchema, renderAuditEntry } from "#service/access/audit-wire.ts";
import { type ListAuditNeeds, listAudit } from "#service/access/list-audit.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { choice, dateTime, list, listOf, pageOf, paging } from "#service/operation/query.ts";
import { listAnswer, renderPage } from "#service/operation/wire.ts";

export function auditOperations(needs: ListAuditNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/audit",
      name: "listAudit",
      summary: "Read the audit log",
      description:
        "Every change and every refused call; refused calls that repeat are one entry with a count. A token for some sites reads the entries about them and about itself.",
      tag: "Access",
      level: "owner",
      query: {
        ...paging,
        order: choice("By time; newest first unless said otherwise.", ["AT_DESC", "AT_ASC"]),
        "at.gte": dateTime("Leaves out entries older than this."),
        "at.lt": dateTime("Leaves out this moment and what came after."),
        "action.in": list("Only these operations, such as createSite,revokeToken."),
        "site_id.in": list("Only entries about these sites."),
        "device_id.in": list("Only entries about these devices, by id, or by slug while the token sees them."),
        "actor.in": list(
          "Only what these people or tokens did, by id. A person did what the sessions and tokens of that person did.",
        ),
        "door.in": listOf("Only calls that came through these doors.", DOORS),
        "outcome.in": listOf("Only these outcomes.", AUDIT_OUTCOMES),
      },
      answer: listAnswer("entries", auditEntrySchema),
      run: async (call) => {
        const { query } = call;
        const page = await listAudit(needs, call, {
          filter: {
            since: query["at.gte"],
            before: query["at.lt"],
            actions: query["action.in"],
            siteIds: query["site_id.in"],
            deviceIds: query["device_id.in"],
            actors: query["actor.in"],
            doors: query["door.in"],
            outcomes: query["outcome.in"],
            newestFirst: query.order !== "AT_ASC",
          },
          page: pageOf(query),
        });
        return renderPage("entries", page, renderAuditEntry);
      },
    }),
  ];
}
