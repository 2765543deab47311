// doctor: finds problems of an installation, with their solutions.
import { askHolder } from '../socket/ask.ts'
import { command } from '../command/command.ts'
import { diagnose } from '../diagnosis/findings.ts'
import { textTable } from '../output/text-table.ts'

export const doctor = command({
  place: 'process',
  description: 'Checks the installation, and says what to do about each problem.',
  details:
    'It checks the configuration, the version and the rights on the database, the clock, the migrations, the encryption keys, the disk, connections, a pooler and a replica, the queue, what failed in the last hour, suspended workflows, the age of the last backup, and whether the providers of active integrations can be reached. If a running gateway holds the embedded database, that gateway checks it. It applies no migrations and sends no messages. Providers whose host each subscriber names are left out. The exit code is 1 if there is a problem.',
  examples: [
    ['doctor', 'with the settings of the gateway'],
    ['doctor --json', 'for a program'],
  ],
  parameters: {},
  async run({ settings, logger, ...streams }) {
    const findings = await diagnose(settings, logger, (holder, asked) => askHolder(holder, asked, streams))
    return {
      text: textTable(
        ['check', 'status', 'finding'],
        findings.map(({ check, status, message }) => [check, status, message]),
      ),
      result: { findings },
      failed: findings.some(({ status }) => status === 'problem'),
    }
  },
})
