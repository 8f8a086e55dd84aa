// node client.mjs JAIL-ARGUMENTS… <stdin    such as: eval --profile python
import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'

// jail runs jail and returns its record, with numbers as JavaScript has them: an integer
// beyond 2^53 is rounded, and better returned as a string. signal, an AbortSignal, ends the box.
export function jail(args, input = '', { signal, command = 'jail' } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const stop = () => child.kill('SIGTERM') // the record still comes
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    const out = []
    child.stdout.on('data', (chunk) => out.push(chunk))
    child.stdin.on('error', () => {}) // it may end before it has read everything
    child.stdin.end(input)
    child.on('error', reject) // it is not installed
    child.on('close', () => {
      signal?.removeEventListener('abort', stop)
      const record = recordIn(Buffer.concat(out).toString())
      if (record) resolve(record)
      else reject(new Error('jail left no record'))
    })
  })
}

// recordIn is the record that jail printed, whole: the newline is its end.
function recordIn(text) {
  try {
    const record = text.endsWith('\n') ? JSON.parse(text) : undefined
    return record?.schema === 'jail/1' ? record : undefined
  } catch {
    return undefined
  }
}

// printed is what a program wrote: text, or {base64} of what is no UTF-8.
export function printed({ text, encoding }) {
  return encoding === 'base64' ? { base64: text } : text
}

// answerTo is what a record comes to: see the table in README.md.
export function answerTo(record) {
  switch (record.reason) {
    case 'ok':
      return 'value'
    case 'execution_failed':
    case 'signaled':
    case 'invalid_output':
    case 'exec_failed':
    case 'syscall_denied':
      return 'mistake'
    case 'timeout':
    case 'cpu_time':
    case 'output_too_large':
    case 'out_of_memory':
    case 'pids_limit':
    case 'disk_full':
      return 'limit'
    case 'canceled':
      return 'canceled'
    case 'setup_refused':
      return 'host'
    case 'internal_error':
    default: // of a version that this program does not know
      return 'broken'
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const input = []
  for await (const chunk of process.stdin) input.push(chunk)
  const record = await jail(process.argv.slice(2), Buffer.concat(input)).catch((e) => {
    console.error(e.message) // it is not installed, it left no record
    process.exit(1)
  })
  const answer = answerTo(record)
  const value = 'value' in record ? record.value : record.stdout.text // of eval, of run
  const encoding = record.stdout.encoding && !('value' in record) ? `${record.stdout.encoding} ` : ''
  console.log(answer === 'value' ? `value ${encoding}${JSON.stringify(value)}` : `${answer} ${record.reason}: ${record.message}`)
}
