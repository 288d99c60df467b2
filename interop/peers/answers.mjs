// The SDK checks the params of what it receives, but not the results that it gets. This does, with the SDK's own schemas,
// which it doesn't export by name.

import * as schemas from "../node_modules/@agentclientprotocol/sdk/dist/v1/unstable/schema/zod.gen.js";

const results = {
  "initialize": schemas.zInitializeResponse,
  "authenticate": schemas.zAuthenticateResponse,
  "session/new": schemas.zNewSessionResponse,
  "session/load": schemas.zLoadSessionResponse,
  "session/resume": schemas.zResumeSessionResponse,
  "session/fork": schemas.zForkSessionResponse,
  "session/list": schemas.zListSessionsResponse,
  "session/close": schemas.zCloseSessionResponse,
  "session/delete": schemas.zDeleteSessionResponse,
  "session/set_title": schemas.zSetSessionTitleResponse,
  "session/status": schemas.zSessionStatusResponse,
  "session/archive": schemas.zArchiveSessionResponse,
  "session/unarchive": schemas.zUnarchiveSessionResponse,
  "session/set_mode": schemas.zSetSessionModeResponse,
  "session/set_config_option": schemas.zSetSessionConfigOptionResponse,
  "session/prompt": schemas.zPromptResponse,
  "session/request_permission": schemas.zRequestPermissionResponse,
  "elicitation/create": schemas.zCreateElicitationResponse,
  "fs/read_text_file": schemas.zReadTextFileResponse,
  "fs/write_text_file": schemas.zWriteTextFileResponse,
  "terminal/create": schemas.zCreateTerminalResponse,
  "terminal/output": schemas.zTerminalOutputResponse,
  "terminal/wait_for_exit": schemas.zWaitForTerminalExitResponse,
  "terminal/kill": schemas.zKillTerminalResponse,
  "terminal/release": schemas.zReleaseTerminalResponse,
};

// checked returns a method's result, or throws what is wrong with it.
export function checked(method, result) {
  const { error } = results[method]?.safeParse(result) ?? {};
  if (error) throw new Error(`the result of ${method} does not fit its schema: ${error.message}`);
  return result;
}
