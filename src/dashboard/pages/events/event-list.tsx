// The list of events.
import { Button } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { ChoiceFilter, useChoice } from '../../parts/choice-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/context-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { useFilter } from '../../parts/filter.ts'
import { Filters } from '../../parts/filters.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { eventStatusLabels } from '../../parts/status-badge.tsx'
import { SubscriberFilter } from '../../parts/subscriber-filter.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { TimeFilter } from '../../parts/time-filter.tsx'
import { WorkflowFilter } from '../../parts/workflow-filter.tsx'
import { EventTable } from './event-table.tsx'
import { eventReasonLabels } from './reasons.ts'

const statusOptions = optionsOf(eventStatusLabels)
const reasonOptions = optionsOf(eventReasonLabels)

/** Returns the filter in the address. An empty text is no condition. */
function useEventFilter() {
  const status = useChoice('status', statusOptions)
  const reason = useChoice('reason', reasonOptions)
  const [transactionId] = useFilter('transaction')
  const [workflow] = useFilter('workflow')
  const [subscriberId] = useFilter('subscriber')
  const [contextKeys] = useContextFilter()
  const [createdAfter] = useFilter('from')
  const [createdBefore] = useFilter('to')
  return {
    ...(status !== null && { status }),
    ...(reason !== null && { reason }),
    ...(transactionId !== '' && { transactionId }),
    ...(workflow !== '' && { workflow }),
    ...(subscriberId !== '' && { subscriberId }),
    ...(contextKeys !== null && { contextKeys }),
    ...(createdAfter !== '' && { createdAfter }),
    ...(createdBefore !== '' && { createdBefore }),
  }
}

export function Component() {
  const [, setSearch] = useSearchParams()
  const filter = useEventFilter()
  const isFiltered = Object.keys(filter).length > 0
  const clear = isFiltered && (
    <Button variant="default" onClick={() => setSearch({})}>
      Clear the filters
    </Button>
  )
  return (
    <Page title="Events" description="Every trigger, with its recipients and its outcome.">
      <Filters>
        <TextFilter label="Transaction id" name="transaction" />
        <WorkflowFilter />
        <SubscriberFilter />
        <ChoiceFilter label="Status" name="status" options={statusOptions} />
        <ChoiceFilter label="Reason" name="reason" options={reasonOptions} />
        <ContextFilter />
        <TimeFilter label="From" name="from" />
        <TimeFilter label="Until" name="to" />
      </Filters>
      <EventTable
        filter={filter}
        empty={
          isFiltered ? (
            <Empty title="No event matches" action={clear}>
              No event fits all filters. Finished events are deleted after the retention of the environment.
            </Empty>
          ) : (
            <Empty
              title="No events yet"
              action={
                <Button component={Link} to={paths.workflows} variant="default">
                  Go to the workflows
                </Button>
              }
            >
              Trigger a workflow: each trigger becomes an event, whose page shows what happened for each recipient.
            </Empty>
          )
        }
      />
    </Page>
  )
}
