// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev An item of `issue` in readable form; `amount` in token units, whole minor units.
struct IssueItem {
    uint64 sequence;
    bytes16 orderId;
    address account;
    uint256 amount;
}

/// @dev An item of `redeem` in readable form; `amount` in token units, whole minor units.
struct RedeemItem {
    bytes16 orderId;
    address account;
    uint256 amount;
    string message;
    bytes signature;
}

/// @dev Packs batches as IEMoneyToken describes them.
library Batches {
    uint256 private constant MINOR_UNIT = 1e16;

    /// @dev Items whose numbers follow each other become one run.
    function pack(IssueItem[] memory items) internal pure returns (bytes memory batch) {
        for (uint256 start = 0; start < items.length;) {
            uint256 end = start + 1;
            while (end < items.length && items[end].sequence == items[end - 1].sequence + 1) ++end;
            batch = bytes.concat(batch, abi.encodePacked(items[start].sequence, uint16(end - start)));
            for (; start < end; ++start) {
                IssueItem memory item = items[start];
                batch = bytes.concat(batch, abi.encodePacked(item.orderId, item.account, minorUnits(item.amount)));
            }
        }
    }

    function pack(IssueItem memory item) internal pure returns (bytes memory) {
        IssueItem[] memory items = new IssueItem[](1);
        items[0] = item;
        return pack(items);
    }

    function pack(RedeemItem[] memory items) internal pure returns (bytes memory batch) {
        for (uint256 i = 0; i < items.length; ++i) batch = bytes.concat(batch, pack(items[i]));
    }

    function pack(RedeemItem memory item) internal pure returns (bytes memory) {
        return bytes.concat(
            abi.encodePacked(item.orderId, item.account, minorUnits(item.amount)),
            abi.encodePacked(uint16(bytes(item.message).length), uint16(item.signature.length)),
            bytes(item.message),
            item.signature
        );
    }

    function minorUnits(uint256 amount) private pure returns (uint64) {
        require(amount % MINOR_UNIT == 0 && amount / MINOR_UNIT <= type(uint64).max, "not whole minor units of 64 bits");
        return uint64(amount / MINOR_UNIT);
    }
}
