// The part of `doctor` that runs in the process that holds the embedded database. Not a command of its own.
import { z } from 'zod'
import { command, flagOption, listOption } from '../command/command.ts'
import type { diagnosisResult } from './finding.ts'
import { connectionFindings, openFindings } from './findings.ts'

export const diagnosis = command({
  place: 'gateway',
  description: 'Checks the database and the work of a running process.',
  examples: [],
  parameters: {
    allowPrivateAddresses: flagOption('The setting of the command line.'),
    deniedAddresses: listOption('RANGE', 'The setting of the command line.', z.array(z.string())),
  },
  async run({ gateway, database }, settings) {
    const connection = await database.pool.connect()
    const found = await connectionFindings(connection).finally(() => connection.release())
    const findings = [...found, ...(await openFindings({ gateway, database }, settings))]
    const { newestKeyId: id } = gateway.cipher
    const result: z.infer<typeof diagnosisResult> = { findings, key: { id, checkValue: gateway.cipher.checkValue(id) } }
    return { text: '', result }
  },
})
