// run_code as a tool of the AI SDK, by the client beside this folder.
import { tool } from 'ai'
import { z } from 'zod'
import { runCode } from './run_code.mjs'

export const runCodeTool = tool({
  description: 'Run JavaScript in a box. source is the body of an async function: `return` gives the value.',
  inputSchema: z.object({ source: z.string(), input: z.any().optional() }),
  execute: ({ source, input }, { abortSignal } = {}) => runCode(source, input, abortSignal),
})
