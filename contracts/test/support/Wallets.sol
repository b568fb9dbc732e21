// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {EMoneyToken} from "../../src/EMoneyToken.sol";
import {Batches, RedeemItem} from "./Batches.sol";

/// @dev Approves on chain, like a Safe: an empty signature is valid for an approved hash.
contract ApprovingWallet is IERC1271 {
    mapping(bytes32 => bool) public approved;

    function approve(bytes32 hash) external {
        approved[hash] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view virtual returns (bytes4) {
        require(signature.length == 0 && approved[hash], "not approved");
        return IERC1271.isValidSignature.selector;
    }
}

/// @dev Valid, but needs much gas: denies the signature when it has less.
contract ThoroughWallet is IERC1271 {
    uint256 private immutable need;

    constructor(uint256 need_) {
        need = need_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        if (gasleft() < need) return 0;
        uint256 end = gasleft() - need;
        while (gasleft() > end) {}
        return IERC1271.isValidSignature.selector;
    }
}

contract RevertingWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        revert("no");
    }
}

/// @dev Reverts with the value that approves as its data.
contract MagicRevertingWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4 magic) {
        magic = IERC1271.isValidSignature.selector;
        assembly {
            mstore(0, magic)
            revert(0, 32)
        }
    }
}

contract GasBurningWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        assembly {
            invalid()
        }
    }
}

/// @dev Returns, or reverts with, as much data as its gas pays for.
contract ReturnBombWallet is IERC1271 {
    bool private immutable reverts;

    constructor(bool reverts_) {
        reverts = reverts_;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        bool failing = reverts;
        assembly {
            if failing { revert(0, 440000) }
            return(0, 440000)
        }
    }
}

/// @dev Returns the bytes that it was constructed with.
contract EchoWallet {
    bytes private answer;

    constructor(bytes memory answer_) {
        answer = answer_;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return answer;
    }
}

/// @dev An operator that is also a holder: when asked for its signature, it tries to redeem and to transfer, and then approves.
contract ReenteringWallet is IERC1271 {
    EMoneyToken private immutable token;
    bytes private batch;

    constructor(EMoneyToken token_) {
        token = token_;
    }

    function prepare(RedeemItem memory item) external {
        batch = bytes.concat(batch, Batches.pack(item));
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        (bool redeemed,) = address(token).staticcall(abi.encodeCall(token.redeem, (batch)));
        (bool moved,) = address(token).staticcall(abi.encodeCall(token.transfer, (address(0xBEEF), 1)));
        return redeemed || moved ? bytes4(0) : IERC1271.isValidSignature.selector;
    }
}

/// @dev The same, with calls that would change state if they were allowed to.
contract StatefulWallet {
    EMoneyToken private immutable token;

    constructor(EMoneyToken token_) {
        token = token_;
    }

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        token.transfer(address(0xBEEF), 1);
        return IERC1271.isValidSignature.selector;
    }
}
