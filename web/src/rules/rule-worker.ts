import { answerQuestions } from "#web/data/worker-client.ts";
import { createRuleTools } from "./rule-tools.ts";

answerQuestions(createRuleTools());
