// Questions to gateways, and their answers, on their way from one node to another.
import type { Instant } from "#core/time/instant.ts";
import type { StoredQuestion } from "#service/ports/question-store.ts";
import type { Database } from "#store/database.ts";
import { bytes } from "./row.ts";
import { NOBODY, PRUNE_AT_ONCE, prune, write } from "./write.ts";

const questionLock = ({ id }: { readonly id: string }) => [`question ${id}`];

export const questionWrites = {
  putQuestion: write({
    locks: ({ question }) => questionLock(question),
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { question }: { question: StoredQuestion }): Promise<void> {
      await database.run(
        "INSERT INTO gateway_question (id, gateway_id, content, is_taken, expires_at) VALUES (?, ?, ?, 0, ?)",
        question.id,
        question.gatewayId,
        question.content,
        question.expiresAt,
      );
    },
  }),

  takeQuestion: write({
    locks: questionLock,
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { id }: { id: string }): Promise<Uint8Array | undefined> {
      const sql = "UPDATE gateway_question SET is_taken = 1 WHERE id = ? AND is_taken = 0 RETURNING content";
      const row = await database.get(sql, id);
      return row && bytes(row, "content");
    },
  }),

  answerQuestion: write({
    locks: questionLock,
    informs: NOBODY,
    fromReserve: false,
    async run(database: Database, { id, answer }: { id: string; answer: Uint8Array }): Promise<void> {
      await database.run("UPDATE gateway_question SET answer = ? WHERE id = ?", answer, id);
    },
  }),

  deleteQuestion: write({
    locks: questionLock,
    informs: NOBODY,
    fromReserve: true,
    async run(database: Database, { id }: { id: string }): Promise<void> {
      await database.run("DELETE FROM gateway_question WHERE id = ?", id);
    },
  }),

  pruneQuestions: prune(
    "questions",
    async (database: Database, { expiredBefore }: { expiredBefore: Instant }) =>
      await database.run(
        "DELETE FROM gateway_question WHERE id IN (SELECT id FROM gateway_question WHERE expires_at < ? LIMIT ?)",
        expiredBefore,
        PRUNE_AT_ONCE,
      ),
  ),
};
