// What both tools for JavaScript do: run a source, and tell a model what came of it.
import { answerTo, jail, printed } from '../node/client.mjs'

// What the box may do is said here and nowhere else: no argument of the tool reaches
// jail's command line.
const box = ['eval', '--profile', 'node', '--timeout', '20s', '--memory', '512M']

export async function runCode(source, input = null, signal = undefined) {
  let request
  try {
    request = JSON.stringify({ source, input })
  } catch (e) { // nested far too deep
    return JSON.stringify({ message: `input can not be sent: ${e.message}` })
  }
  const record = await jail(box, request, { signal })
  const answer = answerTo(record)
  // What the model has sent is refused for a NUL in the source, or an input too deep.
  const refused = ['source', 'input', 'request'].includes(record.refusal?.operation)
  if ((answer === 'host' && !refused) || answer === 'broken') { // nothing that the model could mend
    throw new Error(`${record.reason}: ${record.message}`)
  }
  const { reason, message, hint, value, error, denials, stdout, stderr } = record
  return JSON.stringify({ reason, message, hint, value, error, denials, stdout: printed(stdout), stderr: printed(stderr) })
}
