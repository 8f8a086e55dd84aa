// run_code as a LangChain tool, by the client beside this folder.
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { runCode } from './run_code.mjs'

export const runCodeTool = tool(({ source, input }) => runCode(source, input), {
  name: 'run_code',
  description: 'Run JavaScript in a box. source is the body of an async function: `return` gives the value.',
  schema: z.object({ source: z.string(), input: z.any().optional() }),
})
