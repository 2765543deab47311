// A time in the reader's time zone: how long ago, with the exact time on hover.
import { Tooltip, type TooltipProps } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useId, useState } from 'react'
import { useTimely } from './clock.ts'
import { textLook } from './looks.ts'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** Units, longest first, with their milliseconds. */
const units = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Long texts, a line each. A time in a list has room for the longest, so that rows do not move while times age. */
const longTexts = units.map(([unit]) => relative.format(-59, unit)).join('\n')

/** Returns how long ago a time was, or how far ahead it is. */
export function fromNow(at: Date): string {
  const distance = at.getTime() - Date.now()
  const [unit, length] = units.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1_000]
  return relative.format(Math.trunc(distance / length), unit)
}

/** A time as the graph returns it. It ages while it is shown. */
export function Moment({ at }: { readonly at: string }) {
  const date = new Date(at)
  const text = useTimely(() => fromNow(date))
  const [target, setTarget] = useState<HTMLElement>()
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const open = ({ currentTarget }: { readonly currentTarget: HTMLElement }) => {
    setTarget(currentTarget)
    setOpen(true)
  }
  const close = () => setOpen(false)
  return (
    <>
      <time
        className={`${textLook} moment`}
        data-inherit
        dateTime={at}
        data-room-for={longTexts}
        tabIndex={0}
        aria-describedby={isOpen ? id : undefined}
        onMouseEnter={open}
        onMouseLeave={close}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && open(event)}
        onBlur={close}
      >
        {text}
      </time>
      {/* Not before it is needed: a tooltip takes longer to render than the rest of a row. */}
      {target && (
        <ExactTime target={target} opened={isOpen} label={<span id={id}>{exact.format(date)}</span>} onEscape={close} />
      )}
    </>
  )
}

interface ExactTimeProps extends Pick<TooltipProps, 'label' | 'opened' | 'target'> {
  readonly onEscape: () => void
}

function ExactTime({ onEscape, ...props }: ExactTimeProps) {
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && onEscape())
  return <Tooltip {...props} />
}

/** How long ago, with the exact time beside it. */
export const ExactMoment = ({ at }: { readonly at: string }) => (
  <>
    <Moment at={at} />, {exact.format(new Date(at))}
  </>
)

/** The time zone of all times on the page, such as `Europe/Berlin`. */
export const timeZone = (): string => exact.resolvedOptions().timeZone
