// The look of the inbox. Pages change it with the custom properties that begin with --inbox-.
import { css } from 'lit'

export const styles = css`
  :host {
    --accent: var(--inbox-accent, #3b5bdb);
    --on-accent: var(--inbox-on-accent, #fff);
    --background: var(--inbox-background, light-dark(#fff, #242424));
    --color: var(--inbox-color, light-dark(#1f2328, #e6e6e6));
    --muted: var(--inbox-muted, light-dark(#59636e, #a6a7ab));
    --border: var(--inbox-border, light-dark(#d1d9e0, #424242));
    --hover: var(--inbox-hover, light-dark(#f3f4f6, #2e2e2e));
    --radius: var(--inbox-radius, 8px);
    --width: var(--inbox-width, 380px);
    --height: var(--inbox-height, 480px);
    display: inline-block;
    position: relative;
    font: var(--inbox-font, 14px / 1.45 system-ui, sans-serif);
    color: var(--color);
  }

  button {
    font: inherit;
    color: inherit;
    background: none;
    border: 0;
    border-radius: var(--radius);
    padding: 4px 8px;
    cursor: pointer;
  }

  button:hover {
    background: var(--hover);
  }

  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }

  .bell {
    position: relative;
    padding: 8px;
    line-height: 0;
  }

  .count {
    position: absolute;
    top: 0;
    inset-inline-end: 0;
    min-width: 16px;
    padding: 0 4px;
    border-radius: 9px;
    background: var(--accent);
    color: var(--on-accent);
    font-size: 11px;
    line-height: 18px;
    text-align: center;
  }

  .panel {
    position: absolute;
    inset-inline-end: 0;
    z-index: var(--inbox-z-index, 1000);
    display: flex;
    flex-direction: column;
    width: min(var(--width), calc(100vw - 16px));
    height: min(var(--height), 80vh);
    box-sizing: border-box;
    margin-top: 4px;
    background: var(--background);
    border: 1px solid var(--border);
    border-radius: var(--radius);
    box-shadow: 0 8px 24px rgb(0 0 0 / 16%);
  }

  .panel.other-side {
    inset-inline: 0 auto;
  }

  @media (max-width: 480px) {
    .panel,
    .panel.other-side {
      position: fixed;
      inset: auto 8px 8px;
      width: auto;
    }
  }

  header,
  .filters {
    display: flex;
    align-items: center;
    gap: 4px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--border);
  }

  h2 {
    flex: 1;
    margin: 0;
    font-size: 1.1em;
  }

  .filters [aria-pressed='true'] {
    background: var(--hover);
    font-weight: 600;
  }

  .filters .end {
    margin-inline-start: auto;
  }

  .scroll {
    flex: 1;
    overflow: auto;
  }

  ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }

  li.notification {
    display: flex;
    gap: 8px;
    padding: 10px 12px;
    border-bottom: 1px solid var(--border);
  }

  li.unread {
    border-inline-start: 3px solid var(--accent);
    padding-inline-start: 9px;
  }

  .text {
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .text .open {
    display: block;
    width: 100%;
    padding: 0;
    text-align: start;
  }

  .unread .subject,
  .unread .body:first-child {
    font-weight: 600;
  }

  .body {
    white-space: pre-line;
  }

  time,
  .muted {
    color: var(--muted);
    font-size: 0.9em;
  }

  .avatar {
    width: 32px;
    height: 32px;
    border-radius: 50%;
    object-fit: cover;
  }

  .actions a {
    display: inline-block;
    margin: 4px 8px 0 0;
    color: var(--accent);
  }

  .tools {
    display: flex;
    flex-direction: column;
  }

  .note {
    padding: 24px 12px;
    text-align: center;
    color: var(--muted);
  }

  fieldset {
    margin: 0;
    padding: 8px 12px;
    border: 0;
    border-bottom: 1px solid var(--border);
  }

  legend {
    float: inline-start;
    width: 100%;
    padding: 0;
    font-weight: 600;
  }

  label {
    display: inline-flex;
    align-items: center;
    gap: 4px;
    margin: 4px 12px 0 0;
  }

  input {
    accent-color: var(--accent);
  }

  @media (prefers-reduced-motion: no-preference) {
    button {
      transition: background 0.1s;
    }
  }
`
