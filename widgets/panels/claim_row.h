// The row of a study's claim: its sentence, the stated number beside the engine's, and whether they agree. A
// click loads the claim's scenarios.
#pragma once

#include <QAbstractButton>
#include <optional>

#include "studies/claim.h"

namespace shardscope {

class ClaimRow : public QAbstractButton {
    Q_OBJECT
  public:
    explicit ClaimRow(const Claim& claim, QWidget* parent = nullptr);

    // Shows the engine's number. Before this call the row shows that the number is being computed.
    void set_finding(const Finding& finding);
    [[nodiscard]] const Claim& claim() const { return claim_; }

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    [[nodiscard]] double text_height(int width) const;
    void paint_numbers(QPainter& painter, const QRectF& area) const;
    void name_it();

    Claim claim_;
    QString says_;
    QString stated_label_;
    QString stated_;
    QString engine_;
    QString detail_;  // the values behind a comparison, or why there is no value
    std::optional<Agreement> agreement_;
};

// Returns "agrees", "partly", "disagrees", "answered", "no value".
QString agreement_text(Agreement agreement);

}  // namespace shardscope
