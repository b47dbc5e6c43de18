// What gemmlab adds to JupyterLab. The file is served as it stands: there is nothing to build.
//
// JupyterLab loads a module-federation container from here: `init` gets the packages that it shares, by name and
// version, and `get` gives the plugins.
(() => {
  const CUDA = 'text/x-cuda';
  const KERNEL_CELL = /^%%writefile\s+\S+\.cuh?\s*$/m;
  const WITHOUT_KERNEL = 'Error displaying widget: model not found';

  const BEFORE_RESTART = 'This is from before the kernel was restarted, and its controls do nothing. Run this cell again.';
  const GONE = ['restarting', 'autorestarting', 'terminating', 'dead'];

  let packages = {};
  const shared = async name => {
    const [version] = Object.values(packages[name]);
    return (await version.get())();
  };

  // Files that end in .cu or .cuh are CUDA, which is coloured as C++.
  const language = ({ IEditorLanguageRegistry }) => ({
    id: 'gemmlab:language',
    autoStart: true,
    requires: [IEditorLanguageRegistry],
    activate: (app, languages) => {
      languages.addLanguage({
        name: 'CUDA',
        mime: [CUDA],
        extensions: ['cu', 'cuh'],
        load: async () => (await languages.getLanguage('text/x-c++src')).support
      });
    }
  });

  // So are cells that write such a file. JupyterLab gives all cells the kernel's language, again and again.
  const colour = (cell, notebook, languages) => {
    if (cell.model.type !== 'code') {
      return;
    }
    const isKernel = () => KERNEL_CELL.test(cell.model.sharedModel.source.split('\n', 1)[0]);
    const update = async () => {
      const now = cell.model.mimeType;
      if (isKernel() === (now === CUDA)) {
        return;
      }
      // The editor loads a language and then takes it: one that is still on its way would come after ours.
      await languages.getLanguage(now);
      setTimeout(() => {
        if (!cell.isDisposed) {
          cell.model.mimeType = isKernel() ? CUDA : notebook.codeMimetype;
        }
      });
    };
    cell.model.mimeTypeChanged.connect(update);
    cell.model.contentChanged.connect(update);
    update();
  };

  // The handle of a slider is no input, so that its label does not name it; the buttons of a player are icons.
  const PLAYER = ['play or pause', 'stop', 'repeat'];
  const nameControls = node => {
    for (const handle of node.querySelectorAll('.jupyter-widgets [role="slider"]:not([aria-label])')) {
      const label = handle.closest('.jupyter-widgets').querySelector('.widget-label');
      handle.setAttribute('aria-label', (label && label.textContent) || 'value');
    }
    for (const player of node.querySelectorAll('.widget-play')) {
      player.querySelectorAll('button:not([aria-label])').forEach((button, place) => {
        button.setAttribute('aria-label', PLAYER[place] || 'player');
      });
    }
  };

  // A saved widget is gone with its kernel. What it showed stands under it; say how to get the controls back.
  const explainWidgets = node => {
    const explain = () => {
      nameControls(node);
      for (const part of node.querySelectorAll('.jp-OutputArea-output')) {
        if (part.childElementCount === 0 && part.textContent === WITHOUT_KERNEL) {
          part.textContent = 'Run this cell to get its controls back.';
        }
      }
    };
    new MutationObserver(explain).observe(node, { childList: true, subtree: true });
  };

  // What stands in a page when its kernel is restarted looks as live as before: say that it is not.
  const markOld = node => {
    for (const live of node.querySelectorAll('.gemmlab-live')) {
      if (live.querySelector('.gemmlab-old')) {
        continue;
      }
      for (const part of live.children) {
        part.style.opacity = '0.55';
        part.inert = !part.querySelector('.jp-RenderedHTMLCommon');
      }
      const words = document.createElement('p');
      words.className = 'gemmlab-old';
      words.setAttribute('role', 'status');
      words.style.cssText = 'margin: 0 0 0.5em; padding: 0.3em 0.6em; border-left: 4px solid #b07a00';
      words.textContent = BEFORE_RESTART;
      live.prepend(words);
    }
  };

  const cells = ({ INotebookTracker }, { IEditorLanguageRegistry }) => ({
    id: 'gemmlab:cells',
    autoStart: true,
    requires: [INotebookTracker, IEditorLanguageRegistry],
    activate: (app, tracker, languages) => {
      tracker.widgetAdded.connect((_, panel) => {
        const known = new WeakSet();
        const visit = () => {
          for (const cell of panel.content.widgets) {
            if (!known.has(cell)) {
              known.add(cell);
              colour(cell, panel.content, languages);
            }
          }
        };
        panel.content.modelContentChanged.connect(visit);
        panel.context.ready.then(visit);
        explainWidgets(panel.content.node);
        panel.sessionContext.statusChanged.connect((_, status) => {
          if (GONE.includes(status)) {
            markOld(panel.content.node);
          }
        });
      });
    }
  });

  // The words that come with a picture are its alternative text.
  const pictures = ({ IRenderMimeRegistry, RenderedImage }) => ({
    id: 'gemmlab:pictures',
    autoStart: true,
    requires: [IRenderMimeRegistry],
    activate: (app, rendermime) => {
      class DescribedImage extends RenderedImage {
        async render(model) {
          await super.render(model);
          const words = (model.metadata[this.mimeType] || {}).alt;
          const image = this.node.querySelector('img');
          if (image && words) {
            image.alt = words;
          }
        }
      }
      const createRenderer = options => new DescribedImage(options);
      rendermime.addFactory({ safe: true, mimeTypes: ['image/png'], createRenderer }, 80);
    }
  });

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB.gemmlab = {
    init: scope => {
      packages = scope;
    },
    get: async () => {
      const names = ['@jupyterlab/codemirror', '@jupyterlab/notebook', '@jupyterlab/rendermime'];
      const [codemirror, notebook, rendermime] = await Promise.all(names.map(shared));
      const plugins = [language(codemirror), cells(notebook, codemirror), pictures(rendermime)];
      return () => ({ __esModule: true, default: plugins });
    }
  };
})();
