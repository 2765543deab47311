// The protocol between a command line and the process that holds the embedded database: HTTP over a Unix socket.
import type { Readable } from 'node:stream'
import { z } from 'zod'

/**
 * `POST /commands/<name>` runs a command. The query has its parameters, the body is its input file, and the response is
 * a stream of messages, one JSON object per line. The last one is `outcome` or `failure`.
 *
 * When the command sends `finish`, the command line moves the written file into place and sends `POST
 * /runs/<id>/finished`, with the id of the run from the header `run-id`. If either side closes the connection earlier,
 * the run is aborted. A response with a status other than 200 is a single `failure`.
 */
export const message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('output'), base64: z.string() }),
  z.object({ kind: z.literal('say'), line: z.string() }),
  z.object({
    kind: z.literal('progress'),
    progress: z.object({
      done: z.number(),
      unit: z.string(),
      part: z.number().optional(),
      line: z.number().optional(),
    }),
  }),
  z.object({ kind: z.literal('finish') }),
  z.object({
    kind: z.literal('outcome'),
    outcome: z.object({ text: z.string(), result: z.unknown(), failed: z.boolean().optional() }),
  }),
  z.object({ kind: z.literal('failure'), message: z.string() }),
])

export type CommandMessage = z.output<typeof message>

/** The header with the version of the command line. */
export const VERSION_HEADER = 'gateway-version'

/** The header with the id of a run. */
export const RUN_HEADER = 'run-id'

/** The query of a command. */
export const commandQuery = z.object({
  /** The parameters as JSON. */
  given: z.string(),
  fileName: z.string(),
  inputSize: z.coerce.number().optional(),
})

/** Reads the messages of a response, only as fast as they are consumed. @throws Error if one is invalid. */
export async function* readMessages(answer: Readable): AsyncGenerator<CommandMessage> {
  let rest = ''
  for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield message.parse(JSON.parse(line))
  }
}
