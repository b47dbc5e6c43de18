# The course in a container:
#   docker build -t gemmlab .
#   docker run --rm --init -p 127.0.0.1:8888:8888 -v gemmlab:/home/student/course gemmlab
# With an NVIDIA GPU, cuBLAS comes along: build with --build-arg EXTRA=gpu, run with --gpus all.
FROM python:3.12-slim

ARG EXTRA=""
ARG UID=1000
RUN useradd --create-home --uid "$UID" student
USER student
WORKDIR /home/student/course
ENV PATH=/home/student/.venv/bin:$PATH \
    PYTHONUTF8=1

# The packages, and the machine code of the emulator, change less often than the lessons.
COPY --chown=student pyproject.toml constraints.txt hatch_build.py README.md LICENSE ./
COPY --chown=student gemmlab gemmlab
RUN python -m venv /home/student/.venv \
    && pip install --no-cache-dir --constraint constraints.txt --editable ".${EXTRA:+[$EXTRA]}" \
    && python -m gemmlab.emulator.warm
COPY --chown=student . .

EXPOSE 8888
CMD ["jupyter", "lab", "--ip=0.0.0.0", "--no-browser", "--LabApp.default_url=/lab/tree/lessons"]
