import type { DefaultTheme } from 'vitepress'

const page = (text: string, link: string): DefaultTheme.SidebarItem => ({ text, link: `/${link}` })
const packageOf = (name: string) => page(name, `packages/${name}`)

export const sidebar: DefaultTheme.SidebarItem[] = [
  {
    text: 'Guide',
    items: [page('Which one to take', 'choosing'), page('Kubernetes', 'kubernetes')],
  },
  {
    text: 'From AutoGen and AG2',
    items: [page('From AG2', 'migrating-from-ag2'), page('What is different', 'differences')],
  },
  {
    text: 'Reference',
    items: [
      page('Errors and notices', 'errors'),
      page('Threat model', 'threat-model'),
      page('Performance', 'performance'),
      page('JavaScript starts', 'javascript-starts'),
      page('Installed size', 'installed-size'),
      page('Architecture', 'architecture'),
    ],
  },
  {
    text: 'Packages',
    collapsed: true,
    items: [
      'core',
      'executor-local',
      'executor-docker',
      'executor-kubernetes',
      'executor-jupyter',
      'python-env',
      'agents',
      'ai-sdk',
      'cli',
      'web',
      'sandbox',
      'sandbox-local',
      'sandbox-docker',
      'host',
      'opentelemetry',
    ].map(packageOf),
  },
  {
    text: 'Examples',
    collapsed: true,
    items: ['ai-sdk', 'agents', 'ssh-backend'].map((name) => page(name, `examples/${name}`)),
  },
  {
    text: 'Contributing',
    collapsed: true,
    items: [page('Commands and layout', 'contributing'), page('How we write', 'style')],
  },
]
