import { answerQuestions } from "#web/data/worker-client.ts";
import { createManifestTools } from "./manifest-tools.ts";

answerQuestions(createManifestTools());
