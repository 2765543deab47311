// The schedule of a subscriber: the hours of the week in which it receives messages, and the dialog that changes them.
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../../graph/act.ts'
import { graphql, type ResultOf } from '../../graph/graphql.ts'
import { contextInputs } from '../../parts/form/context-keys-input.tsx'
import { DialogForm } from '../../parts/form/dialog-form.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { FormEnd } from '../../parts/form/form-end.tsx'
import { useFormProblems } from '../../parts/form/form-problem-state.ts'
import { useCanWrite } from '../../session/session-context.ts'
import { hoursError, hoursOf, hoursText } from './schedule-hours.ts'

export const scheduleFields = graphql(`
  fragment ScheduleFields on SubscriberSchedule @_unmask {
    isEnabled
    days {
      day
      isEnabled
      hours {
        start
        end
      }
    }
  }
`)

const updateScheduleMutation = graphql(`
  mutation UpdateSchedule($input: UpdateSubscriberPreferencesInput!) {
    updateSubscriberPreferences(input: $input) {
      userErrors {
        message
        field
      }
    }
  }
`)

type Schedule = ResultOf<typeof scheduleFields> | null
type Day = NonNullable<NonNullable<Schedule>['days']>[number]['day']

const dayLabels = {
  MONDAY: 'Monday',
  TUESDAY: 'Tuesday',
  WEDNESDAY: 'Wednesday',
  THURSDAY: 'Thursday',
  FRIDAY: 'Friday',
  SATURDAY: 'Saturday',
  SUNDAY: 'Sunday',
} as const satisfies Record<Day, string>
const days: readonly Day[] = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

/** The hours of each day as text. Empty for none. */
function textsOf(schedule: Schedule): Record<Day, string> {
  const textOf = (day: Day) => {
    const found = schedule?.days?.find((one) => one.day === day)
    return found?.isEnabled ? hoursText(found.hours) : ''
  }
  return {
    MONDAY: textOf('MONDAY'),
    TUESDAY: textOf('TUESDAY'),
    WEDNESDAY: textOf('WEDNESDAY'),
    THURSDAY: textOf('THURSDAY'),
    FRIDAY: textOf('FRIDAY'),
    SATURDAY: textOf('SATURDAY'),
    SUNDAY: textOf('SUNDAY'),
  }
}

function inWords(schedule: Schedule): string {
  if (schedule === null || !schedule.isEnabled || schedule.days === null) return 'Messages are sent at all hours.'
  const texts = textsOf(schedule)
  const open = days.filter((day) => texts[day] !== '').map((day) => `${dayLabels[day]} ${texts[day]}`)
  return open.length === 0 ? 'No messages are sent, except in-app ones.' : `Messages are sent ${open.join('; ')}.`
}

interface ScheduleProps {
  readonly subscriberId: string
  readonly contextKeys: readonly string[]
  readonly schedule: Schedule
}

export function ScheduleSummary(props: ScheduleProps) {
  const [opened, { open, close }] = useDisclosure()
  const canWrite = useCanWrite()
  return (
    <Group gap="sm">
      <Text size="sm">{inWords(props.schedule)}</Text>
      {canWrite && (
        <Button variant="default" size="compact-sm" onClick={open}>
          Change hours
        </Button>
      )}
      {opened && <ScheduleDialog {...props} onClose={close} />}
    </Group>
  )
}

function ScheduleDialog({ subscriberId, contextKeys, schedule, onClose }: ScheduleProps & { onClose: () => void }) {
  const [update, pending] = useAct(updateScheduleMutation)
  const form = useForm({
    initialValues: { isEnabled: schedule?.isEnabled ?? true, days: textsOf(schedule) },
    validate: { days: Object.fromEntries(days.map((day) => [day, hoursError])) },
  })
  const [problems, report] = useFormProblems(form)
  const submit = async ({ isEnabled, days: texts }: typeof form.values) => {
    const given = days.flatMap((day) => (texts[day].trim() === '' ? [] : { day, hours: hoursOf(texts[day]) }))
    const contexts = contextInputs(contextKeys)
    const outcome = await update({ subscriberId, contexts, schedule: { isEnabled, days: given } })
    if (outcome.ok) onClose()
    else report(outcome.problems)
  }
  return (
    <FormDialog onClose={onClose} title="Hours for messages">
      <DialogForm form={form} onSubmit={submit}>
        <Text size="sm">
          In the time zone of the subscriber, or in UTC without one. In-app messages and critical workflows ignore the
          hours.
        </Text>
        <Switch label="Send only in these hours" {...form.getInputProps('isEnabled', { type: 'checkbox' })} />
        <Stack gap="xs">
          {days.map((day) => (
            <TextInput
              key={day}
              label={dayLabels[day]}
              placeholder="none"
              {...(day === 'MONDAY' && { description: 'Such as 09:00-12:30, 14:00-24:00. Empty for none.' })}
              {...form.getInputProps(`days.${day}`)}
            />
          ))}
        </Stack>
        <FormEnd problems={problems} submitLabel="Save" pending={pending} />
      </DialogForm>
    </FormDialog>
  )
}
