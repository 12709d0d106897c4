import type { QuestionStore } from "#service/ports/question-store.ts";
import type { ReadDatabase } from "#store/database.ts";
import { optionalBytes } from "./row.ts";
import type { Writer } from "./writer.ts";

export function createQuestionStore(reader: ReadDatabase, writer: Writer): QuestionStore {
  return {
    put: (question) => writer.run("putQuestion", { question }),
    take: (id) => writer.run("takeQuestion", { id }),
    storeAnswer: (id, answer) => writer.run("answerQuestion", { id, answer }),
    async answer(id) {
      const row = await reader.get("SELECT answer FROM gateway_question WHERE id = ?", id);
      return row && optionalBytes(row, "answer");
    },
    delete: (id) => writer.run("deleteQuestion", { id }),
    prune: (expiredBefore) => writer.run("pruneQuestions", { expiredBefore }),
  };
}
